internal import FlowWire

/// Something that the server tells whoever runs it.
///
/// What is in it may come from clients, such as names. `description` is safe to write; the parts are
/// as they came. Never is a value in it, but by a `print` of a pipeline.
public struct ServerLogEvent: Sendable, CustomStringConvertible {
  /// How much it matters.
  public enum Level: String, Sendable, CaseIterable, Comparable {
    /// What helps to find out why something is as it is: each connection, each definition.
    case debug
    /// What whoever runs the server wants to know.
    case info
    /// What should not be, though the server goes on.
    case warning
    /// What the server cannot do.
    case error

    /// Whether `left` matters less.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
      switch self {
      case .debug: 0
      case .info: 1
      case .warning: 2
      case .error: 3
      }
    }
  }

  /// A part of what happened, for programs.
  public struct Field: Sendable, Equatable {
    /// What it is called: lower case letters.
    public let key: String
    /// What it is.
    public let text: String
    /// Whether the text is a whole number.
    public let isNumber: Bool

    /// A field that is a text.
    public static func text(_ key: String, _ text: String) -> Self {
      Self(key: key, text: text, isNumber: false)
    }

    /// A field that is a number.
    public static func number(_ key: String, _ number: Int) -> Self {
      Self(key: key, text: "\(number)", isNumber: true)
    }
  }

  /// How much it matters.
  public let level: Level
  /// What happened, in a word; where `$events` tells of it, the word that stands there.
  public let name: String
  /// What happened, for people.
  public let message: String
  /// What happened, for programs.
  public let fields: [Field]

  /// Makes an event.
  public init(_ level: Level, _ name: String, _ message: String, _ fields: [Field] = []) {
    self.level = level
    self.name = name
    self.message = message
    self.fields = fields
  }

  /// The message on one line, with nothing that a terminal would obey.
  public var description: String { FrameWriter.oneLine(message) }
}
