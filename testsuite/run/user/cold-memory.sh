# SPDX-License-Identifier: GPL-2.0-or-later
# Memory of the program that is not there yet when a handler reads it is brought in, and the handler starts anew, unless it has
# done something before; an address that is nowhere is an error all the same.
# any-order: yes
# expect: a cold string a cold string
# expect: a cold string counted 1
# expect: at the return: a cold string
# expect: caught
# expect: runs 2
# stderr: ERROR: user string copy fault at 0x0000000000000010 (addr) near identifier 'user_string' at script.stp:7:53
# stderr: WARNING: Number of errors: 1, skipped probes: 0
. "$TOP/testsuite/lib/script.sh"
cat > cold.c <<'END'
static const char filler[40000] = "x";
static const char cold[] __attribute__((aligned(4096))) = "a cold string";
static struct big { char pad[20000]; const char *name; } b = { .name = cold };
__attribute__((noipa)) int f(const char *s, struct big *p, const char *bad) { return s == p->name; }
int main(void) { return !(f(cold, &b, (const char *)16) + filler[0]); }
END
cc -g -O2 -o cold cold.c
cat > script.stp <<'END'
global n, runs, last
probe process("./cold").function("f") { printf("%s %s\n", user_string($s), user_string($p->name)) }
probe process("./cold").function("f") { n[user_string($p->name)]++ }
probe process("./cold").function("f").return { last = user_string(@entry($s)) }
probe process("./cold").function("f") { try { println(user_string($bad)) } catch { println("caught") } }
probe process("./cold").function("f") { runs++ }
probe process("./cold").function("f") { runs++; if (user_string($bad) != "") println("?") }
probe end { foreach (k in n) printf("%s counted %d\n", k, n[k]); println("at the return: ", last); println("runs ", runs) }
END
file=$(module -DMAXERRORS=3 script.stp)
$GUEST $STAPRUN -c ./cold $file
