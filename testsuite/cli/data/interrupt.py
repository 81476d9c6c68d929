# SPDX-License-Identifier: GPL-2.0-or-later
# interrupt.py TEXT COMMAND...: runs a command on a terminal of its own and types ^C when TEXT has appeared there; prints what was shown,
# and how the command ended.
import os
import pty
import sys
import time

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, typed = b"", 0
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:
        break
    if not data:
        break
    shown += data
    if not typed and sys.argv[1].encode() in shown:
        os.write(terminal, b"\x03")
        typed = time.monotonic()
status = os.waitpid(pid, 0)[1]
print(shown.replace(b"\r", b"\n").replace(b"\x1b[K", b"").decode())
print("signal %d after ^C, %s" % (os.WTERMSIG(status), "at once" if typed and time.monotonic() - typed < 2 else "late"))
