# NATS stops, and a server dies: a durable subscription and a run go on at the other one.
seed 4104
file SUBJECT n0 flow=slowest on=nats
file SUBJECT n1 flow=slowest on=nats
actor A asking=never working=answers gulp=65536 rest=0
actor B asking=never working=answers gulp=65536 rest=0 server=second
actor C asking=one-by-one working=answers gulp=65536 rest=0
actor D asking=one-by-one working=answers gulp=65536 rest=0 server=second
0 A connects
0 A > HELLO 1 name=A
0 B connects
0 B > HELLO 1 name=B
0 C connects
0 C > HELLO 1 name=C
0 D connects
0 D > HELLO 1 name=D
1000 A > RUN r0 = n0.map { $0 + 1000000 }.assign(to: n1)
2000 C > SUB n0 2 as=1 durable=d
2000 B > SUB n1 max as=1
4000 A > SEND n0 1
4000 A > SEND n0 2
4000 A > SEND n0 3
4000 A > SEND n0 4
4000 A > SEND n0 5
4000 A > SEND n0 6
4000 A > SEND n0 7
4000 A > SEND n0 8
6000 nats stops 3000
7000 B > SEND n0 11
7000 B > SEND n0 12
7000 B > SEND n0 13
7000 B > SEND n0 14
20000 nats cuts
20000 B > SEND n0 21
20000 B > SEND n0 22
20000 B > SEND n0 23
20000 B > SEND n0 24
30000 server is-killed 20000
31000 D > SUB n0 3 as=1 durable=d
32000 B > SEND n0 31
32000 B > SEND n0 32
32000 B > SEND n0 33
32000 B > SEND n0 34
32000 B > SEND n0 35
60000 A connects
60000 A > HELLO 1 name=A
62000 A > SEND n0 41
62000 A > SEND n0 42
62000 A > SEND n0 43
