internal import FlowWire

extension Session {
  /// What is left for the engine to do for one command.
  enum Action {
    case none
    case defineSubject(String, SubjectSettings)
    case definePipeline(String, Expression)
    case run(String, Expression)
    case delete(String)
    case list(ListKind?)
    case show(String)
    case explain(Expression)
    case stats(String?)
    case kill(Victim)
    case help(String?)
    case send(String, [UInt8])
    case completeSubject(String, failure: (code: String, text: String)?)
    case endPublication(UInt64, failure: (code: String, text: String)?)
    case subscribe(Expression, Subscription)
    case tail(Expression)
    case feed(String)
    case publish(String, id: UInt64, grant: Int?, over: OverflowRule, owner: Bool)
    case serve(String, id: UInt64, demand: Demand)
    case signalCall(StreamID, CallSignal)
    case request(UInt64, Demand)
    case refuseDemand(UInt64, String)
    case cancel(UInt64)
    case quit(now: Bool)
    /// The client wants a sign of life this often, in nanoseconds.
    case keepAlive(Int64)
    /// The client says a token.
    case authorize(String)
    case goodbye(code: String, text: String)
    /// A TAIL was refused.
    case endAfterRefusedTail
    /// A FEED was refused.
    case skipLines
  }

  /// What a client says of a call.
  enum CallSignal {
    case done
    case fail(code: String, text: String)
    case request
    case cancel
  }

  struct Subscription {
    var id: UInt64
    var demand: Demand
    var window: Int?
    /// For TAKE: how many values it is over after.
    var take: Int?
    /// For TAKE: how long it may take, in nanoseconds.
    var within: Int64?
  }
}
