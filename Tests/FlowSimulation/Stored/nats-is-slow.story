# NATS answers late: what is not known to be stored is looked up, and stored once.
seed 4105
file SUBJECT n0 flow=slowest on=nats
actor A asking=never working=answers gulp=65536 rest=0
actor B asking=never working=answers gulp=65536 rest=0 server=second
actor D asking=one-by-one working=answers gulp=65536 rest=0 server=second
0 A connects
0 A > HELLO 1 name=A
0 B connects
0 B > HELLO 1 name=B
0 D connects
0 D > HELLO 1 name=D
1000 A > SUB n0 max as=1
1000 D > SUB n0 1 as=1
2000 nats is-slow 2500
3200 A > SEND n0 1
3400 A > SEND n0 2
3600 A > SEND n0 3
3800 A > SEND n0 4
4000 A > SEND n0 5
4200 A > SEND n0 6
4400 A > SEND n0 7
4600 A > SEND n0 8
4800 A > SEND n0 9
3300 B > SEND n0 21
3600 B > SEND n0 22
3900 B > SEND n0 23
4200 B > SEND n0 24
4500 B > SEND n0 25
4800 B > SEND n0 26
5100 B > SEND n0 27
9000 nats cuts
20000 nats is-slow 0
25000 B > SEND n0 41
25000 B > SEND n0 42
25000 B > SEND n0 43
