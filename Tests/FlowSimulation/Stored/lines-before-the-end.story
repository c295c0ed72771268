# Lines of a FEED that waited, and the reset of their connection, in one turn: they became one value.
seed 200609
file SUBJECT s0 replay 3
file SUBJECT s1 flow=slowest stall=2s
actor A asking=never working=answers gulp=65536 rest=0
actor B asking=one-by-one working=answers gulp=65536 rest=0
0 A connects
0 B connects
1497 B > SUB s0.measureInterval(using: DispatchQueue.main) 1 as=1
1503 A > FEED s1
1503 A > 3
1503 A > .
2555 A > FEED s1
2555 A > 4
2555 A > 5
2555 A > 6
2555 A > 7
2555 A > 8
2555 A > 9
2555 A > 10
2555 A > 11
2555 A > 12
2555 A > 13
2555 A > 14
2555 A > 15
2555 A > 16
2555 A > 17
2555 A > 18
2555 A > 19
2555 A > 20
2555 A > 21
2555 A > 22
2555 A > 23
2555 A > 24
2555 A > 25
2555 A > 26
2555 A > 27
2555 A > 28
2555 A > 29
3510 B > FEED s1
3510 A > CANCEL 99
8361 B > = 2 168
8423 A > = 2 186
8423 A > = 1 187
8423 A > = 1 188
11572 B connects
13032 A connects
13055 B > SEND s0 206
21458 B > SEND s1 228
21458 B > SEND s1 229
21458 B > SEND s1 230
23221 A > FEED s1
23221 A > 231
23221 A > .
24337 A > SUB s0.drop(untilOutputFrom: s0).timeout(.seconds(9)).combineLatest(s1) 1 as=2
25309 B > TAKE s1 6 as=7
25592 A > SUB s1 3 as=1
