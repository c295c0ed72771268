# The publisher beside `prefix(untilOutputFrom:)` was not let go of after its value: at a
# flow=slowest subject that held up all others for ever.
seed 2024
file SUBJECT s1 replay 40 flow=slowest
file SUBJECT s2 replay 3
file PIPELINE p1 = s2.prefix(untilOutputFrom: s1)
actor D asking=by-tens working=twice gulp=1 rest=0
actor E asking=never working=answers gulp=65536 rest=0
0 D connects
0 E connects
1004 E > PUB s1 as=1 grant=5
1004 E > = 1 1
1004 E > = 1 2
1004 E > = 1 3
1004 E > = 1 14
1004 E > = 1 15
1004 E > = 1 16
1289 D > SEND s1 18
1289 D > TAKE p1 15 as=1
