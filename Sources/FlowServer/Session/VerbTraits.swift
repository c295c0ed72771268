internal import FlowWire

/// How a server treats the commands with a verb.
struct VerbTraits {
  /// Which commands of a verb have a trait.
  enum Extent {
    case never, always
    /// Commands that name a stream: `DONE 1`, but not `DONE orders`.
    case streams

    func holds(aboutStream: Bool) -> Bool {
      switch self {
      case .never: false
      case .always: true
      case .streams: aboutStream
      }
    }
  }

  /// The lines that follow the command.
  enum Input {
    case commands
    /// Values, which would be dangerous if read as commands.
    case values
    case nothing
  }

  /// Whether the token must have been accepted before.
  let token: Bool
  /// Whether it opens or defines something, which a draining server refuses.
  let opens: Bool
  /// The commands that a framed connection does not answer.
  let signal: Extent
  /// The commands that cost as little as a value.
  let light: Extent
  /// The lines that follow the command, even if it was refused.
  let then: Input
}

extension Command {
  /// Whether a framed connection does not answer it.
  var isSignal: Bool { verb.traits.signal.holds(aboutStream: isAboutStream) }

  /// Whether it costs as little as a value.
  var isLight: Bool { verb.traits.light.holds(aboutStream: isAboutStream) }
}
