# NATS loses a whole stream; after DELETE and SUBJECT its values begin anew.
seed 4102
file SUBJECT n0 flow=slowest on=nats
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
1000 A > SUB n0 1 as=1
1000 C > SUB n0 3 as=1 durable=d
2000 A > SEND n0 1
2000 A > SEND n0 2
2000 A > SEND n0 3
2000 A > SEND n0 4
2000 A > SEND n0 5
2000 B > SEND n0 11
2000 B > SEND n0 12
2000 B > SEND n0 13
8000 nats loses-stream n0
25000 B > SEND n0 21
26000 A > DELETE n0
32000 A > SUBJECT n0 flow=slowest on=nats
36000 A > SUB n0 max as=2
36000 D > SUB n0 2 as=1 durable=d
40000 B > SEND n0 31
40000 B > SEND n0 32
40000 B > SEND n0 33
40000 B > SEND n0 34
40000 B > SEND n0 35
41000 A > SEND n0 41
41000 A > SEND n0 42
41000 A > SEND n0 43
