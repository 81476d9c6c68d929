# Braces are expanded outside of strings only, and the message says so.
# stderr-re: semantic error: no function '.vfs_read,vfs_write.' in kernel .*
# stderr:   help: braces stand outside of strings: kernel.{function("a"), function("b")}
# stderr-re: .*
# status: 1
exec "$STAP" -r "$RELEASE" -p2 -e 'probe kernel.function("{vfs_read,vfs_write}") { exit() }'
