internal import FlowWire

/// An event for whoever runs the server.
///
/// Its parts may contain texts of clients, such as names; `description` makes them safe to print.
/// It never contains values, except from a pipeline's `print`.
public struct ServerLogEvent: Sendable, CustomStringConvertible {
  /// The importance of an event.
  public enum Level: String, Sendable, CaseIterable, Comparable {
    /// Details for debugging: each connection, each definition.
    case debug
    /// Normal events of interest.
    case info
    /// Something is wrong, but the server continues.
    case warning
    /// The server cannot do something.
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

  /// A part of an event, for programs.
  public struct Field: Sendable, Equatable {
    /// The name, in lower case letters.
    public let key: String
    /// The value.
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

  /// The importance.
  public let level: Level
  /// The kind of event, in one word; the same as in `$events`.
  public let name: String
  /// The text for people.
  public let message: String
  /// The parts for programs.
  public let fields: [Field]

  /// Makes an event.
  public init(_ level: Level, _ name: String, _ message: String, _ fields: [Field] = []) {
    self.level = level
    self.name = name
    self.message = message
    self.fields = fields
  }

  /// The message on one line, without control characters.
  public var description: String { FrameWriter.oneLine(message) }
}
