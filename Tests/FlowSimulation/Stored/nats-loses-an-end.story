# NATS loses the last two values: they are told as a gap, and the subject takes no more.
seed 4101
file SUBJECT n0 flow=slowest on=nats
actor A asking=never working=answers gulp=65536 rest=0
actor B asking=never working=answers gulp=65536 rest=0 server=second
0 A connects
0 A > HELLO 1 name=A
0 B connects
0 B > HELLO 1 name=B
1000 A > SUB n0 2 as=1
1000 B > SUB n0 max as=1
2000 A > SEND n0 1
2000 A > SEND n0 2
2000 A > SEND n0 3
2000 A > SEND n0 4
2000 A > SEND n0 5
2000 A > SEND n0 6
6000 nats loses-end n0 2
22000 A > REQ 1 20
23000 A > SEND n0 7
24000 B > SEND n0 8
