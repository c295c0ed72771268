# A client that feeds and reads the same subject, and vanishes while a line of it waits, held up
# that line by its own subscription, for ever.
seed 1189
file SUBJECT s0 flow=slowest
actor C asking=never working=late gulp=65536 rest=1124
0 C connects
229 C > SUB s0 as=1
14708 C > FEED s0
14708 C > 108
