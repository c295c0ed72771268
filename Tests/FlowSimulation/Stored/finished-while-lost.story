# A publication that is finished while its connection is lost lets go of whoever waits for that.
seed 20261124000009
file SUBJECT s0
actor U asking=never working=answers gulp=65536 rest=0 speaks=program
0 U connects
7 U > send s0 a{n} --count 2 --rate 1/s
155 U ends-input
