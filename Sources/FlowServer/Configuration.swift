internal import FlowFiles
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire
internal import FlowSubjects

/// What a server allows and how long it waits.
///
/// Every limit has a named error on the wire; a file sets them by `set`.
public struct Configuration: Sendable {
  /// The longest command line, in bytes.
  public var lineLimit = 64 << 10
  /// The longest value, in bytes.
  public var valueLimit = 1 << 20
  /// Streams open at one time on one connection.
  public var streamLimit = 1024
  /// Connections open at one time.
  public var connectionLimit = 10_000
  /// Subjects; there may be as many pipelines, and as many runs.
  public var nameLimit = 10_000
  /// The window of a stream that does not state its own, in bytes.
  public var window = 256 << 10
  /// The widest window a stream may state, in bytes.
  public var windowLimit = 4 << 20
  /// Bytes unsent on a connection at which nothing more is asked of its streams' pipelines.
  public var outputLimit = 4 << 20
  /// Answers unread by a peer at which no more of its commands are read.
  public var answerLimit = 64 << 10
  /// The most values a publication is granted when it does not state a grant.
  public var grant = SubjectDefaults.grant
  /// The widest grant a publication may state.
  public var grantLimit = 65_536
  /// Bytes that a publication holds back for want of room.
  public var inboxLimit = 4 << 20
  /// Calls of one service that may wait for a worker.
  public var waitingCallLimit = 10_000
  /// The most values a `replay` subject may keep.
  public var replayLimit = 65_536
  /// Publishers that one `flatMap` of a pipeline may hold at a time.
  public var innerPublisherLimit = 10_000
  /// How long a SEND waits for room on a `flow=slowest` subject, in nanoseconds.
  public var sendWait: Int64 = 5_000_000_000
  /// How long one subscriber may keep the others of a `flow=slowest` subject waiting, in
  /// nanoseconds, if the subject does not say.
  public var stall = SubjectDefaults.stall
  /// How long a connection that sends no more waits for a further value, in nanoseconds.
  public var linger: Int64 = 10_000_000_000
  /// How long the peer of a closing connection may read nothing of what is still to be sent, in
  /// nanoseconds; six times as long it may take to read all of it.
  public var farewell: Int64 = 10_000_000_000
  /// How long subscribers are given what they have asked for while the server stops, in
  /// nanoseconds.
  public var drain: Int64 = 30_000_000_000
  /// How long a connection without streams may be silent, in nanoseconds.
  public var idle: Int64 = 3_600_000_000_000
  /// What clients must say before anything else; if empty, no authentication is required.
  public var tokens: [Token] = []
  /// Whether clients must say a token even though there may be none, so that nobody is let in.
  public var needsToken = false
  /// How long a client may take to say its token, in nanoseconds.
  public var handshake: Int64 = 10_000_000_000
  /// Wrong tokens at which a connection is closed.
  public var wrongTokenLimit = 3
  /// The intervals at which a client may have signs of life sent, in nanoseconds.
  public var ping: ClosedRange<Int64> = 1_000_000_000...3_600_000_000_000
  /// The memory of the process, in bytes, above which whoever holds most is ended.
  public var memory = defaultMemory
  /// Bytes that may wait for one connection besides its output.
  public var connectionHoldLimit = 16 << 20
  /// Bytes that one running pipeline may take, with what its stages hold.
  public var holdLimit = 64 << 20
  /// Bytes that one subject keeps.
  public var subjectHoldLimit = 64 << 20
  /// Publishers that the `flatMap`s of one running pipeline may have open.
  public var nestedPublisherLimit = 100_000
  /// How much time of the processor the sources of pipelines may take in a turn, in nanoseconds.
  public var slice: Int64 = 2_000_000
  /// Lines a second that the `print`s of one running pipeline may write to the log; all pipelines
  /// together may write five times as many.
  public var printLimit = 100
  /// Errors in a row at which a connection is closed.
  public var errorLimit = 100

  /// The servers of NATS, each as `HOST:PORT`, that hold the subjects with `on=nats`; without any
  /// there can be no such subjects.
  public var nats: [String] = []
  /// The JetStream domain, if the NATS that is connected to is a leaf node of it.
  public var natsDomain: String?
  /// What the names of streams and subjects in NATS begin with.
  public var natsPrefix = "flow"
  /// Who the server is to NATS.
  public var natsLogin = NATSCredentials.none

  /// The origins, beside the page's own, whose pages may open sessions by WebSocket, each as a browser
  /// says it: `http://tools.example:8080`, or `null` for files.
  public var webOrigins: [String] = []
  /// Whether the page shows values.
  public var webShowsValues = false

  /// The settings, by their names in a file, that no file changes, since whoever started the server has
  /// said them.
  package var settled: Set<String> = []

  /// Whether NATS is connected to at all; not where files are only checked.
  package var connectsToNATS = true

  /// Threads that may send at one time, where several connections have much output.
  public var threads = 1

  /// Makes a configuration in which everything has its default.
  public init() {}

  /// A quarter of what the machine has, at most 512 MiB.
  private static let defaultMemory = min(512 << 20, ProcessMemory.ofMachine / 4)
}

extension Configuration {
  /// How many steps of closures are as much work as a `slice`: one is about 50 ns.
  var mostSteps: Int { max(1, Int(clamping: slice / 50)) }

  /// The bytes that `text` stands for, as `64KiB`, `1GiB` or `5000`; nil if it is no size.
  public static func size(_ text: String) -> Int? {
    Quantity.size(text[...]).flatMap { Int(exactly: $0) }
  }

  /// The servers that `text` stands for, as `nats1:4222,nats2:4222`; nil if it is malformed.
  public static func natsServers(_ text: String) -> [String]? {
    (try? Setting(SettingKey.nats.rawValue, text))?.text.split(separator: ",").map(String.init)
  }

  /// What files are checked against.
  var limits: NameLimits { NameLimits(names: nameLimit, replayed: replayLimit) }
}

/// Why files cannot be used; it names everything that is wrong with them.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A report of one thing: `FILE:LINE:COLUMN: error: text`, the line, and carets below the place.
  public let reports: [String]

  init(place: String, message: String) { reports = ["\(place): \(message)"] }

  init(_ findings: [Finding]) { reports = findings.map(\.report) }

  /// All reports, one below the other.
  public var description: String { reports.joined(separator: "\n") }
}
