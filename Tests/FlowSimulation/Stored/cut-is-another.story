# A fed line that the end of input cuts is another value, and comes before its like of somebody else:
# `139`, cut, is `13`.
seed 20261124001232
file SUBJECT s0 replay 3
file SUBJECT s1 current 0 flow=slowest
actor A asking=by-tens working=fails gulp=65536 rest=0
actor B asking=by-tens working=fails gulp=65536 rest=0
actor C asking=by-tens working=answers gulp=65536 rest=1
0 A connects
0 B connects
0 C connects
435 B > KILL NAME s1
435 A > REQ 29 3
2283 B > SHOW s0
2283 A > SUB s1.removeDuplicates() as=1
5284 C > SUB s0 5 as=1 window=4MiB
5285 B > REQ 10 2
5285 A > FEED s1
5285 A > 2
5285 A > 3
5285 A > 4
5285 A > 5
5285 A > 6
5285 A > 7
5285 A > 8
5285 A > 9
5285 A > 10
5285 A > 11
5285 A > 13
5374 B > SEND s0 29
6015 C > SUB Empty().replaceError(with: 3).removeDuplicates() 1 as=3
6253 C > SUB s0.collect(.byTime(DispatchQueue.main, .milliseconds(800))).buffer(size: 6, prefetch: .byRequest, whenFull: .dropOldest).scan(0) { $0 + $1 }.concatMap { Just($0).delay(for: 1) } 3 as=5
9253 B > TAKE s1.collect(.byTime(DispatchQueue.main, .milliseconds(700))) 6
13705 C > SEND s1 30
13705 C > SEND s1 31
13705 C > SEND s1 32
13705 C > SEND s1 33
13705 C > = 1 35
13705 C > = 4 36~18976
14436 A > nonsense
14436 B > TAKE s1.delay(for: .milliseconds(150)).share().delay(for: .milliseconds(240)) 17
14500 B > SEND s0 39
14500 B > SEND s0 40
14500 B > SEND s0 41
14500 A > PUB s0 as=2 grant=1 over=hold
14500 A > = 2 42
14500 A > = 2 43
14500 A > = 2 49
14500 A > = 2 50
14500 A > = 2 51
14502 C connects
14502 B > SUB s1 29
14563 B > REQ 2 1
14563 A > SEND s0 52
14743 B > TAKE s1.buffer(size: 12, prefetch: .byRequest, whenFull: .dropOldest).debounce(for: .milliseconds(200)) 1
15474 C > TAKE s0 19
15474 C > HELLO 1 name=C
15475 A > SEND s0 53
15475 B > SEND s0 54
15475 B > SEND s0 55
18009 C > TAKE s1.drop(untilOutputFrom: s0) 17
18009 C > TAKE [6, 0, 5, 1, 8, 6, 0, 6, 4].publisher.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest).merge(with: (1...9).publisher) 1
18173 B > TAKE Just(6).prepend(6).output(at: 5).buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest) 13
18296 C > SEND s1 60
18296 C > SEND s1 61
18605 B > REQ 2 1
19449 C > REQ 2 max
19504 A > REQ 1 100000
20205 B > REQ 1 2
20255 C > TAKE s0.share().map { Just($0).delay(for: 1) }.switchToLatest() 3
20255 B > DONE 3.2
20258 C > SEND s0 62
20791 A connects
20791 A > HELLO 1 name=A
20791 C > SUB (1...5).publisher.flatMap(maxPublishers: .max(2)) { ask(double, $0) } 1 window=1
20791 C > FAIL 3.5 x
20885 B > SEND s0 63
20885 A > SUB s1 max as=1
20891 B > TAKE s0.prefix(1).zip(s1).flatMap(maxPublishers: .max(9)) { Just($0).delay(for: .milliseconds(50)) }.output(in: 1...3) 2
20930 A > SUB s0.prefix(3).map { $0 }.collect(8) 2 as=2
20931 A > TAKE s0.buffer(size: 27, prefetch: .byRequest, whenFull: .dropOldest).map { $0 }.buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest) 10 as=3
20931 A > SUB s0 3 as=4
20931 B > REQ 6 1
23064 A > SERVE double 3 as=5
23126 C > SEND s0 65
23126 C > SEND s0 66
23126 C > SEND s0 67
23126 C > SEND s0 68
23142 B > TAIL Empty()
23142 B connects
23142 B > HELLO 1 name=B
24123 B > REQ 25 37
24286 A > 70
24286 A > 71
24286 A > 72
24286 A > 73
24286 A > 74
24286 A > 75
24286 A > 76
24286 A > 77
24286 A > 78
24286 A > 79
24286 A > 80
24286 A > 81
24286 A > 82
24286 A > 83~8
24286 A > 84
24286 A > 85
24286 A > 86
24286 A > 87
24286 A > 88
24286 A > 89
24286 A > 90
24286 A > 91
24286 A > 92
24286 A > 93
24286 A > 94
24286 A > 95
24286 A > 96
24286 A > 97
24286 A > 98
24286 A > 99
24286 A > 100
24286 A > 101
24286 A > 102
24286 A > 103
24286 A > 104
24286 A > 105
24286 A > 106
24286 A > 107
24286 A > 108
24286 A > 109
24286 A > 110
24286 A > 111
24286 A > 112
24286 A > 113
24286 A > 114
24286 A > 115
24286 A > 116
24286 A > 117
24286 A > 118
24286 A > .
24289 C > TAIL (1...6).publisher.delay(for: 0.5).collect(9)
24289 C connects
24289 C > AUTH nothing
24289 B > REQ 53 10
24569 B > SUB s0 1 as=1 window=1
24569 A > SEND s0 119
24569 A > SEND s0 122
24569 A > SEND s0 123
26607 C > TAKE (1...5).publisher.flatMap(maxPublishers: .max(2)) { ask(other, $0) } 1 as=1
26607 B > PIPELINE q1 = s0.timeout(.seconds(15))
26609 A > CANCEL 2
26610 B > SHOW s1
26611 B > SERVE double 3 as=2
26738 C > REQ 1 754
26752 A reads-on
27139 A > SUB s1.map { $0 } 38 as=6
27184 A > SUB s1 1 as=7
27217 C connects
27217 C > FEED s1
27217 C > 124
27217 C > 127
27217 C > 128
27217 C > 129
27217 C > 130
27217 C > 131
35644 C > 139
35659 A > PUB s1 as=9 grant=2 over=hold
35659 A > = 9 143
35659 A > = 9 144
35659 A > = 9 145
43118 C connects
46457 A > SUB s1 1 as=10
