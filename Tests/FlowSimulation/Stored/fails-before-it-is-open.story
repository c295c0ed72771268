# A stream may have failed before the answer that it is open: behind a SEND that waits, answers wait, and ends do not.
seed 146863896263
file SUBJECT s0 replay 3
file SUBJECT s2 current 0 flow=slowest stall=2s
actor D asking=one-by-one working=answers gulp=65536 rest=0
actor E asking=one-by-one working=twice gulp=65536 rest=117
0 D connects
0 E connects
1379 D > SEND s2 16~31041
1627 D > SUB s0 1 as=1
1627 D > REQ 1 -1
12924 E > SEND s0 78
