# SPDX-License-Identifier: GPL-2.0-or-later
# Memory of the program that is not there yet when a handler reads it is brought in, and the handler starts anew, unless it has
# done something before, also where a catch or a function with a text for failures would take the error; an address that is nowhere is an error all the same.  Strings of any length are read at the end of what is mapped, and
# across pages.
# any-order: yes
# expect: a cold string a cold string
# expect: a cold string counted 1
# expect: at the return: a cold string
# expect: caught
# expect: tried: another (1), nowhere (1), "a third"
# expect: runs 2
# expect: lengths: 80 right, 0 wrong
# stderr: ERROR: user string copy fault at 0x0000000000000010 (addr) near identifier 'user_string' at script.stp:8:53
# stderr: WARNING: Number of errors: 1, skipped probes: 0
. "$TOP/testsuite/lib/script.sh"
cat > cold.c <<'END'
#include <string.h>
#include <sys/mman.h>
static const char filler[40000] = "x";
static const char cold[] __attribute__((aligned(4096))) = "a cold string";
static const char another[] __attribute__((aligned(4096))) = "another";
static const char third[] __attribute__((aligned(4096))) = "a third";
static struct big { char pad[20000]; const char *name; } b = { .name = cold };
__attribute__((noipa)) int f(const char *s, struct big *p, const char *bad) { return s == p->name; }
__attribute__((noipa)) void g(const char *s, int n) { asm volatile("" : : "r"(s), "r"(n)); }
__attribute__((noipa)) void h(const char *s, const char *t) { asm volatile("" : : "r"(s), "r"(t)); }
static char across[8192] __attribute__((aligned(4096)));
static void ends(void)
{
	char *end = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 4096;

	munmap(end, 4096);
	memset(end - 40, 'y', 39);
	for (int n = 0; n < 40; n++) {
		g(end - 1 - n, n);
		memset(across, 'z', 4096 + 20);
		g(across + 4096 - n, n + 20);
	}
}
int main(void) { ends(); h(another, third); return !(f(cold, &b, (const char *)16) + filler[0]); }
END
cc -g -O2 -o cold cold.c
cat > script.stp <<'END'
global n, tried, third, runs, last, right, wrong
probe process("./cold").function("g") { if (strlen(user_string($s)) == $n) right++; else wrong++ }
probe process("./cold").function("f") { printf("%s %s\n", user_string($s), user_string($p->name)) }
probe process("./cold").function("f") { n[user_string($p->name)]++ }
probe process("./cold").function("f").return { last = user_string(@entry($s)) }
probe process("./cold").function("f") { try { println(user_string($bad)) } catch { println("caught") } }
probe process("./cold").function("f") { runs++ }
probe process("./cold").function("f") { runs++; if (user_string($bad) != "") println("?") }
probe process("./cold").function("h") { a = user_string2($s, "bad"); b = user_string2(8, "nowhere"); tried[a]++; tried[b]++ }
probe process("./cold").function("h") { try { try { third = user_string_quoted($t) } catch { third = "?" } } catch { third = "??" } }
probe end { printf("tried: another (%d), nowhere (%d), %s\n", tried["another"], tried["nowhere"], third) }
probe end { foreach (k in n) printf("%s counted %d\n", k, n[k]); println("at the return: ", last); println("runs ", runs); printf("lengths: %d right, %d wrong\n", right, wrong) }
END
file=$(module -DMAXERRORS=3 script.stp)
$GUEST $STAPRUN -c ./cold $file
