/// Everything about a verb that does not depend on its arguments: its help and traits.
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
  /// Which commands of a verb have a trait.
  enum Extent {
    case never, always
    /// Commands that name a stream: `DONE 1`, but not `DONE orders`.
    case streams
  }

  /// The lines that follow the command.
  public enum Input: Sendable {
    case commands
    /// Values, which would be dangerous if read as commands.
    case values
    case nothing
  }

  public let token: Bool
  /// Whether it opens or defines something, which a draining server refuses.
  public let opens: Bool
  /// The commands that a framed connection does not answer.
  let signal: Extent
  /// The commands that cost as little as a value.
  let light: Extent
  /// The lines that follow the command, even if it was refused.
  public let then: Input
}

extension Verb {
  private static let rows: [VerbRow] = allCases.map(\.row)

  public var entry: CommandEntry { Self.rows[place].entry }

  public var traits: VerbTraits { Self.rows[place].traits }

  /// Whether a framed connection does not answer a command with this verb.
  public func isSignal(aboutStream: Bool) -> Bool { traits.signal.holds(aboutStream) }
}

extension Command {
  /// Whether a framed connection does not answer it.
  public var isSignal: Bool { verb.isSignal(aboutStream: isAboutStream) }

  /// Whether it costs as little as a value.
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
