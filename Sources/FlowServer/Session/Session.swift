internal import FlowSubjects
internal import FlowWire

/// The protocol state of one client: mode, rights and the order of answers.
///
/// It knows nothing of sockets, queues or clocks.
struct Session {
  enum Mode { case interactive, framed }

  private(set) var mode = Mode.interactive
  var isNew = true
  /// Whether the server is stopping, so that nothing new may be opened.
  var isDraining = false
  /// Errors since the last correct command.
  var errorsInARow: Int32 = 0
  private(set) var name: String?
  var access: Access
  var answers = AnswerQueue()
  var tag: String?

  init(_ tokens: TokenBook) { access = Access(tokens) }

  var isInteractive: Bool { mode == .interactive }

  /// Whether signals are confirmed: to people, and if tagged.
  var confirms: Bool { isInteractive || tag != nil }

  mutating func begin(tag: String?) {
    self.tag = tag
    isNew = false
  }

  /// Begins a value or SEND without a command line.
  mutating func beginUntagged() { begin(tag: nil) }

  /// Handles HELLO; returns the keep-alive interval, in nanoseconds.
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

// Lines that are not valid commands.
extension Session {
  /// The verb of a line, if it begins with one.
  static func verb(_ line: String) -> Verb? {
    command(line).first.flatMap { Verb(rawValue: $0.uppercased()) }
  }

  /// Whether a framed connection expects no answer to the line.
  static func isSignal(_ line: String) -> Bool {
    let command = command(line)
    guard let verb = verb(line) else {
      return command.first.map { $0.hasPrefix("=") || $0.hasPrefix(":") } ?? false
    }
    let isAboutStream = command.dropFirst().first?.first?.isNumber ?? false
    return verb.traits.signal.holds(aboutStream: isAboutStream)
  }

  /// The first words of a line, each cut to a useful length.
  private static func command(_ line: String) -> ArraySlice<String> {
    line.utf8.split(maxSplits: 3) { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      .map { String(decoding: $0.prefix(16), as: UTF8.self) }.drop { $0.hasPrefix("@") }
  }
}
