# SPDX-License-Identifier: GPL-2.0-or-later
# -p4 prints the module's path; -m leaves NAME.ko here, with - turned into _.
# expect-re: /.*/stap_[0-9a-f]{16}_0000000000\.ko
# expect: my_name.ko
# expect: name=my_name
# stderr: WARNING: the module is called my_name
$STAP -p4 -r $RELEASE -e 'probe begin { println(50007) exit() }'
$STAP -p4 -r $RELEASE -m my-name -e 'probe begin { println(50007) exit() }'
strings my_name.ko | grep '^name='
