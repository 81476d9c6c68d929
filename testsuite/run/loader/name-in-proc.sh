# A module may have the name of a file in /proc.
# expect: hello
# expect: gone
"$STAP" -r "$RELEASE" -p4 -m version -e 'probe oneshot { println("hello") }' > /dev/null || exit 1
$GUEST "$STAPRUN" "$PWD/version.ko"
$GUEST grep -q '^version ' /proc/modules < /dev/null || echo gone
