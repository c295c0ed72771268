# NATS has no room; what is read makes some, and what was sent meanwhile is stored once.
seed 4103
file SUBJECT n0 flow=slowest on=nats room=16
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
1000 C > SUB n0 2 as=1 durable=d
1000 D > SUB n1 max as=1
1500 nats has-room-for 3
2000 A > SEND n0 1
2000 A > SEND n0 2
2000 A > SEND n0 3
2000 A > SEND n0 4
2000 A > SEND n0 5
2000 A > SEND n0 6
2000 A > SEND n0 7
2000 B > SEND n1 11
2000 B > SEND n1 12
2000 B > SEND n1 13
2000 B > SEND n1 14
2000 B > SEND n1 15
2000 B > SEND n1 16
2000 B > SEND n1 17
9000 nats has-room
15000 A > SEND n0 21
15000 A > SEND n0 22
15000 A > SEND n0 23
15000 A > SEND n0 24
15000 A > SEND n0 25
15000 B > SEND n1 31
15000 B > SEND n1 32
15000 B > SEND n1 33
