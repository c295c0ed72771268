# A SEND whose value was the last of a TAKE was told to have missed one less than none.
seed 70309
file SUBJECT s0 replay 40 flow=slowest
actor B asking=by-tens working=answers gulp=65536 rest=0
actor D asking=one-by-one working=never gulp=65536 rest=0
550 B connects
557 D connects
607 D > SEND s0 7
607 D > SEND s0 8
607 D > SEND s0 9
607 D > SEND s0 10
607 D > SEND s0 11
607 D > SEND s0 12
607 D > SEND s0 13
607 D > SEND s0 14
607 D > SEND s0 15
607 D > SEND s0 16
607 D > SEND s0 17
607 D > SEND s0 18
1106 B > TAKE s0 15
1518 B > SUB s0 1
3063 B > SEND s0 39
3063 B > SEND s0 40
3063 B > SEND s0 41
3423 B > TAIL [9, 0, 0, 9, 7, 1].publisher.share().output(at: 3).scan(0) { $0 + $1 }
