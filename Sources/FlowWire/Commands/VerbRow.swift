/// What is to be known about a verb, whatever follows it: its help, and how a server treats it.
struct VerbRow: Sendable {
  let entry: CommandEntry
  let traits: VerbTraits

  init(
    _ form: String,
    _ summary: String,
    examples: [String],
    details: [String],
    traits: VerbTraits
  ) {
    entry = CommandEntry(form, summary, examples: examples, details: details)
    self.traits = traits
  }
}

/// How a server treats the commands with a verb.
public struct VerbTraits: Sendable {
  /// The commands that a trait holds for.
  enum Extent {
    case never, always
    /// Those about a stream: `DONE 1`, but not `DONE orders`.
    case streams
  }

  /// What a client writes behind the command.
  public enum Input: Sendable {
    case commands
    /// Lines that are values, and would be dangerous as commands.
    case values
    case nothing
  }

  /// Whether the client must have authenticated.
  public let token: Bool
  /// Whether the command opens or defines something, which a draining server refuses.
  public let opens: Bool
  /// The commands to which a framed connection expects no answer.
  let signal: Extent
  /// The commands that take as little work as a value.
  let light: Extent
  /// What a client writes behind the command, also if it was refused.
  public let then: Input
}

extension Verb {
  private static let rows: [VerbRow] = allCases.map(\.row)

  /// What its refusals say, `HELP` and the documentation.
  public var entry: CommandEntry { Self.rows[place].entry }

  /// How a server treats its commands.
  public var traits: VerbTraits { Self.rows[place].traits }

  /// Whether a framed connection expects no answer to a command with this verb.
  public func isSignal(aboutStream: Bool) -> Bool { traits.signal.holds(aboutStream) }
}

extension Command {
  /// Whether a framed connection expects no answer to it.
  public var isSignal: Bool { verb.isSignal(aboutStream: isAboutStream) }

  /// Whether it takes as little work as a value.
  public var isLight: Bool { verb.traits.light.holds(isAboutStream) }
}

extension VerbTraits.Extent {
  fileprivate func holds(_ isAboutStream: @autoclosure () -> Bool) -> Bool {
    switch self {
    case .never: false
    case .always: true
    case .streams: isAboutStream()
    }
  }
}
