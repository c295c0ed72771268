# Who has said QUIT before his stream was open is gone as soon as what he asked for has come.
seed 106977435182
file SUBJECT s0
token t1 sub,pub s0,p*
token t2 sub,pub
token t3 sub,send,define *,!s1
actor A asking=never working=twice gulp=65536 rest=0
actor C asking=one-by-one working=late gulp=1 rest=0
0 A connects
0 A > AUTH t3
0 C connects
0 C > AUTH t1
8975 C > SUB s0 3 as=1
8975 C > QUIT
12554 C > SEND s0 20
12554 C > SEND s0 21
12556 A > SEND s0 22
16156 A > SEND s0 54
16156 A > SEND s0 55
16156 A > SEND s0 56
