internal import FlowWire

/// One client's side of the conversation: who it is, how it speaks, what it is answered.
///
/// It knows the mode, the rights and the order of answers, and nothing of sockets, queues or clocks.
struct Session {
  enum Mode { case interactive, framed }

  private(set) var mode = Mode.interactive
  private(set) var name: String?
  /// Errors since the last command that was none.
  var errorsInARow = 0
  /// The codes of the errors that were answered since they were last taken.
  var refusals: [ErrorCode] = []
  /// Whether nothing has been said yet.
  var isNew = true
  /// While the server goes away: nothing new may be opened.
  var isDraining = false

  private(set) var access: Access
  // Not the whole configuration: every connection has a session.
  private let wrongTokenLimit: Int
  private let pings: ClosedRange<Int64>
  var answers = AnswerQueue()
  var tag: String?

  init(_ configuration: Configuration = Configuration(), tokens: TokenBook? = nil) {
    wrongTokenLimit = configuration.wrongTokenLimit
    pings = configuration.ping
    access = Access(tokens ?? TokenBook(configuration))
  }

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

  /// Whether so many unknown tokens were said that no more are heard.
  var hasGuessed: Bool { access.failures >= wrongTokenLimit }

  /// The tokens were replaced; returns false if this client's is no longer good.
  mutating func followTokens(_ places: [Int?]) -> Bool { access.follow(places) }
}
