# A publisher that says more than it was granted is not read, and so are its own REQs behind that.
seed 55500000137
file SUBJECT s0 flow=slowest stall=2s
actor A asking=one-by-one working=answers gulp=65536 rest=0
0 A connects
3302 A > SUB s0 3 as=2
8547 A > SEND s0 41
8547 A > SEND s0 42
8547 A > SEND s0 43
8547 A > PUB s0 as=5 grant=1 over=hold
8547 A > : 5 44
8547 A > = 5 45
