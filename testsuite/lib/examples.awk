# SPDX-License-Identifier: GPL-2.0-or-later
# Takes the examples out of the language reference:  awk -v out=DIR -f examples.awk FILE.md...
#
# An example is a fenced block with the info string "stap".  What it prints is the block "output" right after it, its messages
# (on stderr, each line a part of one there) the block "errors".  Without either, the script has to pass
# `stap -p2'.  A first line "# stap OPTIONS x.stp ARGUMENTS" says how it is run.
#
# Leaves DIR/NNN/{x.stp,output,errors,command,where} and prints the directories.

FNR == 1 { block = ""; dir = "" }

/^```/ && block == "" {
	block = substr($0, 4)
	if (block == "stap") {
		dir = sprintf("%s/%03d", out, ++examples)
		system("mkdir -p " dir)
		print FILENAME ":" FNR > (dir "/where")
		close(dir "/where")
		print dir
		target = dir "/x.stp"
		printf "" > target
		first = 1
	} else if ((block == "output" || block == "errors") && dir != "") {
		target = dir "/" block
		printf "" > target
	} else {
		dir = ""
		target = ""
		block = "other"
	}
	next
}

/^```/ {
	if (target != "") close(target)
	target = ""
	block = ""
	next
}

block != "" && target != "" {
	print > target
	if (block == "stap" && first && /^# stap /) {
		print substr($0, 3) > (dir "/command")
		close(dir "/command")
	}
	first = 0
	next
}

# Words between a script and its output end the example.
block == "" && /[^ \t]/ { dir = "" }
