# Values that were asked for when they were thought to be smaller wait for a client that does not read; its CANCEL tells how many.
seed 399664960156
file SUBJECT s0 flow=slowest
file SUBJECT s1 flow=slowest
actor A asking=one-by-one working=answers gulp=65536 rest=0
actor B asking=by-tens working=fails gulp=65536 rest=0
actor C asking=one-by-one working=answers gulp=65536 rest=0
actor T asking=never working=answers gulp=65536 rest=0
0 A connects
0 A > HELLO 1 name=A
0 B connects
0 B > HELLO 1 name=B
0 C connects
0 T connects
0 T > SUB Timer.publish(every: .milliseconds(46)).autoconnect() max
54 B > SUB (1...8).publisher.replaceError(with: 2).retry(0).replaceEmpty(with: 8).prepend((1...3).publisher) window=1
63 A > SUB s0.merge(with: s0).flatMap(maxPublishers: .max(5)) { Just($0).delay(for: .milliseconds(50)) }.map { n in [n, n].publisher }.switchToLatest() max as=1
893 C > SEND s0 10
2813 C > CANCEL 1
14552 C > nonsense
14578 B > FAIL 4.2 x
14603 A > SUB (1...3).publisher.flatMap(maxPublishers: .max(1)) { ask(double, $0) } 5 as=2
14604 B > REQ 4 28
14605 B connects
14606 server reloads-in-vain
14621 B > SEND s1 81
14621 B > SEND s1 82
14841 A > SEND s0 83
14845 C connects
14845 C > HELLO 1 name=C
14846 A > HELLO 1 name=A
15081 C > SERVE double max as=1
16914 A > = 1 96
17159 A > CANCEL 1
18045 B > REQ 1 1
18045 C > SUB Fail("no").first() 3 as=1
18087 A > CANCEL 19
18617 C > SUB s1.debounce(for: .milliseconds(450)) 14 as=4
19058 B > REQ 1 7
19815 A > SUB s0 2 as=3
19815 A > FEED s0
19815 A > 98
19815 A > 104
19815 A > 105
19815 A > 106
19815 A > 107
19815 A > 108
27296 A connects
27296 A > HELLO 1 name=A
27685 A > SUB s1.removeDuplicates() max as=2 window=1KiB
27685 B stops-reading
27874 C stalls 133
27874 C connects
27997 A > PUB s1 as=3 over=drop
27997 A > = 3 152
27997 A > = 3 153
27997 A > : 3 154␤155
27997 A > = 3 156
27997 A > : 3 157␤158~60000
28563 C > = 3 195
28563 C > DONE 3
28563 B > REQ 1 64
28896 C > SEND s1 196
29610 A > CANCEL 2
