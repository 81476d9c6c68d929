/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options_text.h"

/* Scripts look for "(version X/" here. */
const char options_version[] =
	"Systemtap translator/driver (version " STAP_LANGUAGE_VERSION "/stap " STAP_VERSION ")\n"
	"Licence: GPL-2.0-or-later.  There is no warranty, to the extent the law permits.\n"
	"enabled features: BTF, libdw, VM\n";

const char options_help[] =
	"Usage: stap [OPTIONS] FILE [ARGUMENTS]     run the script in FILE (- for standard input)\n"
	"   or: stap [OPTIONS] -e SCRIPT [ARGUMENTS]\n"
	"   or: stap [OPTIONS] -l|-L PROBE-POINT    list matching probe points (-L: with variables)\n"
	"   or: stap --prep [-r RELEASE]            build what a kernel needs ahead of time\n"
	"\n"
	"Running\n"
	"  -c CMD           run CMD while probes are live, target() is its pid; end with it\n"
	"  -x PID           target() is PID\n"
	"  -o FILE          write output to FILE          -S MB[,N]  in N files of MB megabytes\n"
	"  -T SECONDS       end after so many seconds\n"
	"  -G VAR=VALUE     set a global variable of the script\n"
	"  --vm[=RELEASE]   run in a throw-away virtual machine that sees this file system read-only\n"
	"  --               what follows are the script's arguments\n"
	"\n"
	"Building\n"
	"  -p NUMBER        stop after pass 1 parse, 2 resolve, 3 translate, 4 compile (prints the\n"
	"                   module's path), 5 run\n"
	"  -r RELEASE|DIR   build for another kernel, or for the headers in DIR (with -p4 or --vm)\n"
	"  -m NAME          name the module, leave NAME.ko in the current directory\n"
	"  -I DIR           more library files            -E SCRIPT  more script text\n"
	"  -D NAME=VALUE    a limit (MAXACTION, MAXSTRINGLEN, ...) or a macro for embedded C\n"
	"  -g               guru mode: embedded C, and writing to the kernel's variables\n"
	"  -s MB            output buffer, for each CPU   -u  do not optimise\n"
	"  -k               keep the directory with the generated C\n"
	"\n"
	"Telling\n"
	"  -v               say more (repeat it)          --vp NNNNN  ... for each pass\n"
	"  -w / -W          no warnings / warnings are errors\n"
	"  -t               time spent in each probe\n"
	"  --color=WHEN     always, never, auto\n"
	"  --dump-functions --dump-probe-aliases --dump-probe-types   what scripts can use\n"
	"  -h, --help       this text                     -V, --version\n"
	"\n"
	"A first try:  stap -e 'probe timer.s(1) { println(\"hello\") }'\n";
