# A program that is killed finds its sockets closed, so that what of it still unwinds comes to an end.
seed 20261125000977
file SUBJECT s1 current 0
actor B asking=by-tens working=answers gulp=65536 rest=0
actor C asking=one-by-one working=answers gulp=65536 rest=0
actor D asking=by-tens working=answers gulp=65536 rest=0
actor U asking=never working=answers gulp=65536 rest=0 speaks=program
0 B connects
0 B > HELLO 1 name=B
0 C connects
0 C > HELLO 1 name=C
0 D connects
0 D > HELLO 1 name=D
0 U connects
0 C > FAIL s1 broken for good
2 U > sub 's1'
2 C > SUB s1 9
118 C > REQ 1 3
878 B > SUB s1 as=2 window=1KiB
925 C > SUB s2 62
940 U > check no --timeout 300ms
945 server sleeps 10807
4909 U ends-input
