# A TAKE whose client asked for more took more, and had no end, when a batch came that was longer.
seed 1377
file SUBJECT s0 flow=slowest
actor D asking=by-tens working=answers gulp=65536 rest=0
actor E asking=never working=answers gulp=65536 rest=0
0 D connects
0 E connects
22 D > TAKE s0 3 as=1
22 D > REQ 1 12061
1134 E > FEED s0
1134 E > 5
1134 E > 6
1134 E > 7
1134 E > 8
1134 E > 9
