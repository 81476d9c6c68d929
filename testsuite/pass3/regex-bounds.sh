# Bounds of a repetition that no number can hold are too large, not text.
# stderr-re: .*a repetition can be 255 at most.*
# stderr: Pass 2: analysis failed.
# status: 1
exec "$STAP" -r "$RELEASE" -p3 -e 'probe begin { println("aaa" =~ "a{99999999999}") }'
