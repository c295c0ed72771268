internal import FlowWire

/// One client's side of the conversation: who it is, how it speaks, what it is answered.
///
/// It knows the mode, the rights and the order of answers, and nothing of sockets, queues or clocks.
struct Session {
  enum Mode { case interactive, framed }

  private(set) var mode = Mode.interactive
  /// Whether nothing has been said yet.
  var isNew = true
  /// While the server goes away: nothing new may be opened.
  var isDraining = false
  /// Errors since the last command that was none.
  var errorsInARow: Int32 = 0
  private(set) var name: String?
  /// The codes of the errors that were answered since they were last taken.
  var refusals: [ErrorCode] = []
  private(set) var access: Access
  var answers = AnswerQueue()
  var tag: String?

  init(_ tokens: TokenBook) { access = Access(tokens) }

  var isInteractive: Bool { mode == .interactive }

  var hasOutput: Bool { !answers.ready.isEmpty }

  mutating func takeOutput() -> [UInt8] { answers.take() }

  mutating func takeRefusals() -> [ErrorCode] {
    defer { refusals.removeAll() }
    return refusals
  }

  // MARK: Who it is

  /// Takes HELLO; returns how often the client wants a sign of life, in nanoseconds.
  mutating func greet(
    _ version: String,
    _ ping: Int64?,
    within pings: ClosedRange<Int64>,
    _ name: String?
  ) throws(DefinitionError) -> Int64? {
    guard mode == .interactive else { throw DefinitionError(.usage, "HELLO was already sent") }
    guard version == "1" else { throw DefinitionError(.version, "supported=1") }
    self.name = name
    let granted = ping.map { min(max($0, pings.lowerBound), pings.upperBound) }
    answer(.hello(ping: granted, name: name))
    mode = .framed
    return granted
  }

  /// Tries a token, and answers; returns whether it is right.
  mutating func tryToken(_ token: String) -> Bool {
    let isRight = access.tryToken(token)
    if isRight { answer(.plain(.auth)) } else { refuse(.denied, "unknown token") }
    return isRight
  }

  /// Lets the holder of a certificate in, if there is a line for it; nothing is answered.
  mutating func takeCertificate(_ name: String) -> Bool { access.takeCertificate(name) }

  /// The tokens were replaced; returns false if this client's is no longer good.
  mutating func followTokens(_ places: [Int?]) -> Bool { access.follow(places) }
}
