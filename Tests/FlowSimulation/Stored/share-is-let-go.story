# A stream over `share()` was kept for ever by what its share had of it, and the server's engine with it.
seed 3003
file SUBJECT s0 replay 40 flow=slowest
actor A asking=never working=answers gulp=65536 rest=0
6321 A connects
10644 A > TAKE s0.share().prefix(3) 2 as=2
