# A value that a closure has no answer for ended the stream, and was not counted.
seed 44
file SUBJECT s0
actor A asking=never working=answers gulp=65536 rest=0
0 A connects
10 A > HELLO 1 name=A
20 A > SUB (1...9).publisher.map { 60 / ($0 - 4) }.filter { 60 / ($0 - 12) > 5 } max as=1
20 A > SUB (1...9).publisher.scan(0) { $0 + 60 / ($1 - 4) } 3 as=2
20 A > SUB (1...9).publisher.flatMap { Just(60 / ($0 - 9)) }.reduce(0) { $0 + 60 / ($1 - 60) } 1 as=3
20 A > SUB (1...9).publisher.tryMap { 60 / ($0 - 4) } max as=4
60 A > REQ 2 max
