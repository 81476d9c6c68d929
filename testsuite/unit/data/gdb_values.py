# SPDX-License-Identifier: GPL-2.0-or-later
# Run by gdb for test_dwarf_vars.c and run/user/variables.sh: stops at every line with "stop:" and writes what it sees to OUT:
#	STOP pc function line core-file
#	VALUE expression number|optimised|unreadable
import gdb, os, re, struct

source, out, stem, hits = os.environ["SOURCE"], open(os.environ["OUT"], "w"), os.environ.get("CORES"), {}

def number(text):
    try:
        v = gdb.parse_and_eval(text)
        if v.is_optimized_out:
            return "optimised"
        v.fetch_lazy()
        t = v.type.strip_typedefs()
        if t.code == gdb.TYPE_CODE_REF or t.code == gdb.TYPE_CODE_RVALUE_REF:
            v = v.referenced_value().address # a pointer, for scripts
        if t.code == gdb.TYPE_CODE_FLT:
            return str(struct.unpack("<q", struct.pack("<d", float(v)))[0])
        if t.code == gdb.TYPE_CODE_ARRAY:
            v = v.address
        n = int(v)
        return str(n - (1 << 64) if n >= 1 << 63 else n)
    except gdb.error as e:
        return "optimised" if "optimized out" in str(e) else "unreadable"

def plain(name):
    """The last part of a function's name, without scopes and parameters."""
    if "operator()" in name:
        return "operator()"
    name = name.split("(")[0]
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    return name.split("::")[-1]

gdb.execute("set pagination off")
gdb.execute("set breakpoint pending off")
lines = {}
for n, text in enumerate(open(source), 1):
    m = re.search(r"stop: (.*?) *(\*/|$)", text)
    if m:
        lines[n] = [e.strip() for e in m.group(1).split(";")]
        try:
            gdb.execute("break %s:%d" % (os.path.basename(source), n), to_string=True)
        except gdb.error:
            pass
gdb.execute("run", to_string=True)
count = 0
while gdb.selected_inferior().pid:
    frame = gdb.selected_frame()
    line = frame.find_sal().line
    hits[frame.pc()] = hits.get(frame.pc(), 0) + 1
    if line in lines and hits[frame.pc()] <= 4:
        core = "%s.%d" % (stem, count)
        count += 1
        if stem: # without it, no core files
            gdb.execute("gcore " + core, to_string=True)
        out.write("STOP %d %s %d %s\n" % (frame.pc(), plain(str(frame.function() or frame.name())), line, core))
        for e in lines[line]:
            out.write("VALUE %s %s\n" % (e.replace(" ", ""), number(e)))
    gdb.execute("continue", to_string=True)
out.close()
