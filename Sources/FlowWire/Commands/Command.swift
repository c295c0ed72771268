/// What a client asks for, as a value.
///
/// A new command is a case here and a case of `Verb` with its entry in the table; the compiler then
/// leads to everything that must answer it. `CommandTable` explains each.
public enum Command: Hashable, Sendable {
  /// `HELLO 1 [ping=DUR] [name=TEXT]`; the version is any word, the ping in nanoseconds.
  case hello(version: String, ping: Int64?, name: String?)
  /// `AUTH TOKEN`
  case auth(String)
  /// `HELP [WORD]`
  case help(String?)
  /// `PING [TEXT]`
  case ping(String?)
  /// `QUIT [now]`
  case quit(now: Bool)

  /// `SUBJECT NAME [passthrough | current VALUE | replay N] [flow=free|slowest] [stall=DUR]`
  case subject(name: String, SubjectSettings)
  /// `PIPELINE NAME = EXPR`
  case pipeline(name: String, expression: Expression)
  /// `RUN NAME = EXPR`
  case run(name: String, expression: Expression)
  /// `DELETE NAME`
  case delete(String)
  /// `LIST [KIND]`
  case list(ListKind?)
  /// `SHOW NAME`
  case show(String)
  /// `EXPLAIN EXPR`
  case explain(Expression)
  /// `STATS [NAME]`
  case stats(String?)
  /// `KILL CLIENT N | STREAM N ID | NAME NAME`
  case kill(Victim)

  /// `SEND NAME TEXT`
  case send(name: String, value: [UInt8])
  /// `DONE NAME|ID`
  case done(Target)
  /// `FAIL NAME|ID CODE [TEXT]`
  case fail(Target, code: String, text: String)

  /// `SUB EXPR [N|max] [as=ID] [window=SIZE]`; the window in bytes.
  case subscribe(Expression, demand: Demand, id: StreamID?, window: Int?)
  /// `TAKE EXPR N [as=ID] [within=DUR]`; the time in nanoseconds.
  case take(Expression, count: UInt64, id: StreamID?, within: Int64?)
  /// `TAIL EXPR`
  case tail(Expression)
  /// `PUB NAME [as=ID] [grant=N] [over=hold|cancel|drop] [owner=yes]`
  case publish(name: String, id: StreamID?, grant: Int?, over: OverflowRule?, owner: Bool)
  /// `FEED NAME`
  case feed(String)
  /// `SERVE NAME [N|max] [as=ID]`
  case serve(name: String, demand: Demand, id: StreamID?)
  /// `REQ ID|NAME N|max`
  case request(Target, RequestCount)
  /// `CANCEL ID|NAME`
  case cancel(Target)
}
