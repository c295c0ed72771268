# A stream may be cancelled before the answer that it is open comes, behind a SEND that waits.
seed 20261124001586
file SUBJECT s0 replay 40 flow=slowest
file SUBJECT s1 replay 3
file SUBJECT s2 flow=slowest
actor B asking=never working=answers gulp=998 rest=171840
actor D asking=never working=answers gulp=4096 rest=0
0 D connects
14466 B connects
16786 B > TAKE (1...137).publisher.allSatisfy { $0 > 5 } 8
17882 B > SUB s2 1
18987 B > SUB s1 3 window=1KiB
18991 B > SEND s0 61
19117 B > CANCEL 3
19383 D > SEND s1 62
