/// What a server allows and how long it waits.
///
/// Every limit has a named error on the wire; `set(_:_:)` takes the same keys as `set` in a file.
public struct Configuration: Sendable {
  /// The longest command line, in octets.
  public var lineLimit = 64 << 10
  /// The longest value, in octets.
  public var valueLimit = 1 << 20
  /// Streams open at one time on one connection.
  public var streamLimit = 1024
  /// Connections open at one time.
  public var connectionLimit = 10_000
  /// Subjects, and as many pipelines and runs again.
  public var nameLimit = 10_000
  /// The window of a stream that does not state its own, in octets.
  public var window = 256 << 10
  /// The widest window a stream may state, in octets.
  public var windowLimit = 4 << 20
  /// Octets unsent on a connection at which nothing more is asked of its streams' pipelines.
  public var outputLimit = 4 << 20
  /// Answers unread by a peer at which no more of its commands are read.
  public var answerLimit = 64 << 10
  /// The most values a publication is granted when it does not state a grant.
  public var grant = 64
  /// The widest grant a publication may state.
  public var grantLimit = 65_536
  /// Octets that a publication holds back for want of room.
  public var inboxLimit = 4 << 20
  /// The most values a `replay` subject may keep.
  public var replayLimit = 65_536
  /// How long a SEND waits for room on a `flow=slowest` subject, in nanoseconds.
  public var sendWait: Int64 = 5_000_000_000
  /// How long one subscriber may keep the others of a `flow=slowest` subject waiting, in
  /// nanoseconds, if the subject does not say.
  public var stall: Int64 = 30_000_000_000
  /// How long a connection that sends no more waits for a further value, in nanoseconds.
  public var linger: Int64 = 10_000_000_000
  /// How long a connection without streams may be silent, in nanoseconds.
  public var idle: Int64 = 3_600_000_000_000
  /// What clients must say before anything else; with none of them nobody is asked.
  public var tokens: [Token] = []
  /// How long a client may take to say its token, in nanoseconds.
  public var handshake: Int64 = 10_000_000_000
  /// Wrong tokens at which a connection is closed.
  public var wrongTokenLimit = 3
  /// The signs of life that a client may ask for, in nanoseconds.
  public var ping: ClosedRange<Int64> = 1_000_000_000...3_600_000_000_000
  /// Errors in a row at which a connection is closed.
  public var errorLimit = 100

  public init() {}
}

/// A setting or a line of a file that the server can not start with.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Where it stands: `FILE:LINE`, or the key.
  public var place: String
  /// What is wrong, and what is expected.
  public var message: String

  public init(place: String, message: String) {
    self.place = place
    self.message = message
  }

  public var description: String { "\(place): \(message)" }
}
