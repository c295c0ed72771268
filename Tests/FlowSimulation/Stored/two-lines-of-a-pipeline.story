# A value of two lines that comes of a pipeline looks like two to who counts flowclient's lines.
seed 7000000882
file SUBJECT s0 replay 3
file SUBJECT s1 current 0 flow=slowest
file SUBJECT s2 flow=slowest stall=2s
file PIPELINE p1 = s0.throttle(for: .milliseconds(200), latest: true).filter { $0 % 3 == 0 }.merge(with: s1)
actor B asking=one-by-one working=answers gulp=65536 rest=0
actor C asking=one-by-one working=answers gulp=65536 rest=0
actor D asking=one-by-one working=fails gulp=65536 rest=4
actor E asking=by-tens working=answers gulp=65536 rest=0
actor U asking=never working=answers gulp=65536 rest=0 speaks=program
0 B connects
0 C connects
0 C > HELLO 1 name=C
0 D connects
0 E connects
0 U connects
75 U > sub 'p1' -n 25
1374 D > SEND s1 18
1395 B > SEND s1 20
1395 B > SEND s1 21
1398 D > SEND s0 24
2650 U > send s1 54 55 56
2716 B > PUB s2 as=1 grant=9 over=hold
2716 B > = 1 59
2716 B > = 1 60
2716 B > = 1 61
2716 B > = 1 62
2716 B > = 1 63
2716 B > = 1 64
4065 E > SEND s1 67
4065 E > SEND s1 68
4065 E > SEND s1 69
4150 C > PUB s1 as=2 grant=1 over=cancel
4150 C > : 2 70~4␤71
4150 C > = 2 72
4158 C > FEED s1
4158 C > 79
4158 C > 80
4158 C > 81
4158 C > 82
4158 C > 83
4158 C > 84
4158 C > 85
4158 C > 86
4158 C > 87
4158 C > 88
4158 C > 89
4158 C > 90
