# A server that was short of memory turned away whoever came first when it was no longer, and\nwithout a word, since he had spoken.
seed 80968
actor C asking=one-by-one working=answers gulp=65536 rest=0
actor D asking=by-tens working=late gulp=65536 rest=0
4718 server memory gone
17296 D connects
19306 server descriptors gone
24071 server restarts
26285 C > SUB s0.debounce(for: .milliseconds(250)).delay(for: .milliseconds(180)).flatMap(maxPublishers: .max(7)) { Just($0).delay(for: .milliseconds(50)) } as=8 window=5KiB
