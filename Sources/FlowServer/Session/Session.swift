internal import FlowSubjects
internal import FlowWire

/// One client's side of the conversation: who it is, how it speaks, and which answers wait.
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
  var access: Access
  var answers = AnswerQueue()
  /// The tag of the present command.
  var tag: String?

  init(_ tokens: TokenBook) { access = Access(tokens) }

  var isInteractive: Bool { mode == .interactive }

  /// Whether signals are confirmed: to a person, or if the command has a tag.
  var confirms: Bool { isInteractive || tag != nil }

  /// A command comes, with its tag if it has one.
  mutating func begin(tag: String?) {
    self.tag = tag
    isNew = false
  }

  /// A value or SEND comes without a command line before it: it has no tag.
  mutating func beginUntagged() { begin(tag: nil) }

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
    mode = .framed
    return ping.map { min(max($0, pings.lowerBound), pings.upperBound) }
  }
}

// Lines that could not be read as commands.
extension Session {
  /// The verb of a line, as far as there is one.
  static func verb(_ line: String) -> Verb? {
    command(line).first.flatMap { Verb(rawValue: $0.uppercased()) }
  }

  /// Whether a line is one that a framed connection expects no answer to.
  static func isSignal(_ line: String) -> Bool {
    let command = command(line)
    guard let verb = verb(line) else {
      return command.first.map { $0.hasPrefix("=") || $0.hasPrefix(":") } ?? false
    }
    return verb.isSignal(aboutStream: command.dropFirst().first?.first?.isNumber ?? false)
  }

  /// The verb of a line and what follows, as far as there are any, but for what is too long to
  /// matter in each.
  private static func command(_ line: String) -> ArraySlice<String> {
    line.utf8.split(maxSplits: 3) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      .map { String(decoding: $0.prefix(16), as: UTF8.self) }.drop { $0.hasPrefix("@") }
  }
}
