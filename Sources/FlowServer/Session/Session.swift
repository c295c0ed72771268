internal import FlowWire

/// One client's side of the conversation: lines in, what to do and what to answer out.
///
/// It knows the mode, the stream ids and the order of answers, and nothing of sockets, queues or
/// clocks. What only the engine can answer comes back from `handle(_:)` as an `Action`.
struct Session {
  enum Mode { case typed, framed }
  enum Role { case subscription, publication, service }

  private(set) var mode = Mode.typed
  private(set) var name: String?
  /// Errors since the last command that was none.
  var errorsInARow = 0
  /// The codes of the errors that were answered since they were last taken.
  var refusals: [String] = []
  /// Whether nothing has been said yet.
  var isNew = true
  /// While the server goes away: nothing new may be opened.
  var isDraining = false

  private(set) var access: Access
  // Not the whole configuration: every connection has a session.
  private let wrongTokenLimit: Int
  private let pings: ClosedRange<Int64>
  var answers = AnswerQueue()
  private var roles = StreamTable<(role: Role, name: String)>()
  private var highest: UInt64 = 0
  var tag: String?

  init(_ configuration: Configuration = Configuration(), tokens: TokenBook? = nil) {
    wrongTokenLimit = configuration.wrongTokenLimit
    pings = configuration.ping
    access = Access(tokens ?? TokenBook(configuration))
  }

  var isTyped: Bool { mode == .typed }

  var hasOutput: Bool { !answers.ready.isEmpty }

  mutating func takeOutput() -> [UInt8] { answers.take() }

  mutating func takeRefusals() -> [String] {
    defer { refusals.removeAll() }
    return refusals
  }

  // MARK: Commands

  /// Does what a session can do itself, and answers it; returns what is left to do.
  mutating func handle(_ line: CommandLine) -> Action {
    tag = line.tag
    isNew = false
    guard access.isGranted || line.command.needsNoToken else { return refuseUnauthorized(line) }
    switch line.command {
    case .request(.stream(let id), _) where id.isCall: return .signalCall(id, .request)
    case .cancel(.stream(let id)) where id.isCall: return .signalCall(id, .cancel)
    case .done(.stream(let id)) where id.isCall: return .signalCall(id, .done)
    case .fail(.stream(let id), let code, let text) where id.isCall:
      return .signalCall(id, .fail(code: code, text: text))
    case .hello(let version, let ping, let name): return hello(version, ping, name)
    case .auth(let token): return .authorize(token)
    case .ping(let text):
      answer("PONG\(text.map { " \($0)" } ?? "")")
      return .none
    case .help(let word): return .help(word)
    case .quit(let now): return .quit(now: now)
    case .subject(let name, let settings): return opening { .defineSubject(name, settings) }
    case .pipeline(let name, let text): return opening { .definePipeline(name, text) }
    case .run(let name, let text): return opening { .run(name, text) }
    case .delete(let name): return .delete(name)
    case .list(let kind): return .list(kind)
    case .show(let name): return .show(name)
    case .explain(let expression): return .explain(expression)
    case .stats(let name): return .stats(name)
    case .kill(let victim): return .kill(victim)
    case .send(let name, let value): return .send(name, value)
    case .done(let target): return end(target, failure: nil)
    case .fail(let target, let code, let text): return end(target, failure: (code, text))
    case .subscribe(let expression, let demand, let id, let window):
      return open(id) {
        .subscribe(expression, Subscription(id: $0, demand: demand, window: window))
      }
    case .take(let expression, let count, let id, let within):
      let take = Int(clamping: count)
      return open(id) {
        .subscribe(
          expression,
          Subscription(id: $0, demand: .max(count), take: take, within: within)
        )
      }
    case .tail(let expression): return .tail(expression)
    case .feed(let name): return .feed(name)
    case .publish(let name, let id, let grant, let over, let owner):
      let rule = over ?? (mode == .typed ? .hold : .cancel)
      return open(id) { .publish(name, id: $0, grant: grant, over: rule, owner: owner) }
    case .serve(let name, let demand, let id):
      return open(id) { .serve(name, id: $0, demand: demand) }
    case .request(let target, let count): return request(target, count)
    case .cancel(let target): return cancel(target)
    }
  }

  /// Tries a token, and answers; what is left to do is nothing, or to go.
  mutating func authorize(_ token: String) -> (isRight: Bool, Action) {
    if access.tryToken(token) {
      answer("OK auth")
      return (true, .none)
    }
    refuse("denied", "the token is unknown")
    guard access.failures >= wrongTokenLimit else { return (false, .none) }
    return (false, .goodbye(code: "auth", text: "\(access.failures) unknown tokens"))
  }

  /// The tokens were replaced; returns false if this client's is no longer good.
  mutating func followTokens(_ places: [Int?]) -> Bool { access.follow(places) }

  private mutating func refuseUnauthorized(_ line: CommandLine) -> Action {
    switch line.command {
    case .request, .done(.stream), .fail(.stream, _, _): refuseSignal("denied", Access.first)
    default: refuse("denied", Access.first)
    }
    switch line.command {
    case .tail: return .endAfterRefusedTail
    case .feed: return .skipLines
    default: return .none
    }
  }

  private mutating func hello(_ version: String, _ ping: Int64?, _ name: String?) -> Action {
    guard mode == .typed else {
      refuse("usage", "HELLO was said already")
      return .none
    }
    guard version == "1" else {
      refuse("version", "supported=1")
      return .none
    }
    self.name = name
    let ping = ping.map { min(max($0, pings.lowerBound), pings.upperBound) / 1_000_000 }
    let granted = ping.map { " ping=\(Quantity.text(milliseconds: $0))" } ?? ""
    answer("OK hello 1\(granted)\(name.map { " name=\(FrameWriter.oneLine($0))" } ?? "")")
    mode = .framed
    return ping.map { .keepAlive($0 * 1_000_000) } ?? .none
  }

  private mutating func opening(_ action: () -> Action) -> Action {
    guard !isDraining else {
      refuse(DefinitionError.draining.code, DefinitionError.draining.message)
      return .none
    }
    return action()
  }

  private mutating func open(_ id: StreamID?, _ action: (UInt64) -> Action) -> Action {
    if let id, roles[id.rawValue] != nil {
      refuse("id-in-use", "stream \(id) is open; leave out as= for a free id")
      return .none
    }
    guard id != nil || highest < StreamID.largest else {
      refuse("limit", "no stream id is left above \(highest); choose one with as=")
      return .none
    }
    let id = id?.rawValue ?? highest + 1
    return opening { action(id) }
  }

  private mutating func end(
    _ target: Target,
    failure: (code: String, text: String)?
  ) -> Action {
    let id: UInt64
    switch target {
    case .name(let name): return .completeSubject(name, failure: failure)
    case .stream(let stream): id = stream.rawValue
    }
    switch roles[id]?.role {
    case .publication: return .endPublication(id, failure: failure)
    case .subscription:
      refuseSignal("usage", "stream \(id) sends to you; CANCEL \(id) ends it")
    case .service:
      refuseSignal("usage", "stream \(id) brings calls to you; CANCEL \(id) ends it")
    case nil:
      let verb = failure == nil ? "done" : "fail"
      if hasEnded(id) { confirm("OK \(verb) \(id) ended") } else { refuseUnknown(id) }
    }
    return .none
  }

  private mutating func request(_ target: Target, _ count: RequestCount) -> Action {
    let id: UInt64
    switch subscription(target) {
    case .found(let found): id = found
    case .refused(let code, let text):
      refuseSignal(code, text)
      return .none
    }
    guard roles[id] != nil else {
      confirm("OK req \(id) ended")
      return .none
    }
    switch count {
    case .demand(let demand): return .request(id, demand)
    case .refusedDemand(let count):
      return .refuseDemand(id, "demand is \(count), expected 1 or more")
    }
  }

  private mutating func cancel(_ target: Target) -> Action {
    let id: UInt64
    switch subscription(target) {
    case .found(let found): id = found
    case .refused(let code, let text):
      refuse(code, text)
      return .none
    }
    guard roles[id] != nil else {
      answer("OK cancel \(id) ended")
      return .none
    }
    return .cancel(id)
  }

  /// Finds the stream that `target` means, among those that send to this client or have ended.
  private func subscription(_ target: Target) -> Found {
    switch target {
    case .stream(let id):
      switch roles[id.rawValue]?.role {
      case .subscription, .service: return .found(id.rawValue)
      case .publication: return .refused("usage", "you send on stream \(id); DONE \(id) ends it")
      case nil where hasEnded(id.rawValue): return .found(id.rawValue)
      case nil: return .refused("unknown-stream", unknown(id.rawValue))
      }
    case .name(let name):
      let ids = roles.ids.filter { id in
        roles[id].map { $0.role != .publication && $0.name == name } ?? false
      }
      if let id = ids.first, ids.count == 1 { return .found(id) }
      if ids.isEmpty {
        return .refused("unknown-stream", "no stream is open on \(name); \(openStreams)")
      }
      let list = ids.map(String.init).joined(separator: ", ")
      return .refused("usage", "streams \(list) are all on \(name); say which")
    }
  }

  private enum Found {
    case found(UInt64)
    case refused(_ code: String, _ text: String)
  }

  /// Tells of a value for a stream that takes none.
  mutating func refuseValue(_ id: UInt64) {
    tag = nil
    switch roles[id]?.role {
    case _ where !access.isGranted: refuseSignal("denied", Access.first)
    case .service:
      let form = "answer the call, as in = \(id).1 TEXT"
      refuseSignal("usage", "stream \(id) brings calls to you; \(form)")
    case .subscription, .publication:
      refuseSignal("usage", "stream \(id) sends to you; PUB opens one to send on")
    case nil where hasEnded(id): confirm("OK value \(id) ended")
    case nil: refuseUnknown(id)
    }
  }

  /// Tells of a signal or a value for a call that there is not.
  mutating func refuse(call id: StreamID) {
    switch roles[id.rawValue]?.role {
    case _ where !access.isGranted: refuseSignal("denied", Access.first)
    case .subscription, .publication:
      refuseSignal("usage", "stream \(id.rawValue) serves nothing; SERVE opens one that does")
    case .service, nil: refuseUnknown(id)
    }
  }

  /// Whether the stream of a call has ended, and the call with it.
  func hasEnded(call id: StreamID) -> Bool { roles[id.rawValue] == nil && hasEnded(id.rawValue) }

  /// Whether an id may have been in use; asked of those that are not.
  func hasEnded(_ id: UInt64) -> Bool { id > 0 && id <= highest }

  private mutating func refuseUnknown(_ id: some CustomStringConvertible) {
    refuseSignal("unknown-stream", unknown(id))
  }

  private func unknown(_ id: some CustomStringConvertible) -> String {
    "no stream has the id \(id); \(openStreams)"
  }

  private var openStreams: String {
    guard !roles.isEmpty else { return "none is open" }
    let ids = roles.ids
    let list = ids.prefix(20).map(String.init).joined(separator: ", ")
    return "open: \(list)\(ids.count > 20 ? ", …" : "")"
  }

  // MARK: Streams

  mutating func opened(_ id: UInt64, _ role: Role, _ name: String) {
    roles[id] = (role, name)
    highest = max(highest, id)
  }

  mutating func closed(_ id: UInt64) { roles[id] = nil }

  var openCount: Int { roles.count }

  /// An id for the one stream of a connection that has no other.
  var freeID: UInt64 { min(highest + 1, StreamID.largest) }
}

extension Command {
  /// Whether it is taken before the token.
  fileprivate var needsNoToken: Bool {
    switch self {
    case .hello, .auth, .ping, .help, .quit: true
    default: false
    }
  }
}
