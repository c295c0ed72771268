/// What a client asks for, as a value.
///
/// A new command is a case here, a case of `Verb` with its entry in the table, and the compiler
/// leads to what else must answer it. `docs` of each are its `CommandEntry`.
public enum Command: Hashable, Sendable {
  /// `HELLO 1 [ping=DUR] [name=TEXT]`; the version is any word, the ping in nanoseconds.
  case hello(version: String, ping: Int64?, name: String?)
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
  /// `DELETE NAME`
  case delete(String)
  /// `LIST [KIND]`
  case list(ListKind?)
  /// `SHOW NAME`
  case show(String)

  /// `SEND NAME TEXT`
  case send(name: String, value: [UInt8])
  /// `DONE NAME|ID`
  case done(Target)
  /// `FAIL NAME|ID CODE [TEXT]`
  case fail(Target, code: String, text: String)

  /// `SUB EXPR [N|max] [as=ID] [window=SIZE]`; the window in octets.
  case subscribe(Expression, demand: Demand, id: StreamID?, window: Int?)
  /// `TAKE EXPR N [as=ID] [within=DUR]`; the time in nanoseconds.
  case take(Expression, count: UInt64, id: StreamID?, within: Int64?)
  /// `PUB NAME [as=ID] [grant=N] [over=hold|cancel|drop] [owner=yes]`
  case publish(name: String, id: StreamID?, grant: Int?, over: OverflowRule?, owner: Bool)
  /// `REQ ID|NAME N|max`
  case request(Target, RequestCount)
  /// `CANCEL ID|NAME`
  case cancel(Target)
}

/// Which stream or subject a command is about.
public enum Target: Hashable, Sendable {
  /// A stream of this connection.
  case stream(StreamID)
  /// A subject, or the one stream that is on this name.
  case name(String)
}

/// What stands in a `REQ`: the Reactive Streams rule 3.9 makes a wrong number the stream's failure.
public enum RequestCount: Hashable, Sendable {
  /// So many values more; past 2^63−1 it is unlimited.
  case demand(Demand)
  /// Zero or a negative number, as it was written: that stream fails with `bad-demand`.
  case refusedDemand(String)
}

/// What `LIST` can list.
public enum ListKind: String, Sendable, CaseIterable {
  case subjects, pipelines, streams, clients
}

/// What happens to values that a publisher sends beyond its grant.
public enum OverflowRule: String, Sendable, CaseIterable {
  /// They wait in the inbox; when it is full the connection is not read.
  case hold
  /// The publication is cancelled with `overrun`.
  case cancel
  /// They are dropped, counted and reported.
  case drop
}
