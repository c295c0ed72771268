# flowclient tells at the end what found no demand, in words of its own.
seed 20261125015111
actor U asking=never working=answers gulp=65536 rest=0 speaks=program
0 U connects
5053 U > sub '(1...2).publisher.flatMap { Just($0) }.share()' --demand 1
