internal import FlowFiles
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire
internal import FlowSubjects

/// The limits and timeouts of a server.
///
/// Each limit has its own error in the protocol; files change limits with `set`.
public struct Configuration: Sendable {
  /// Limits of connections; sizes are in bytes.
  public struct Connections: Sendable {
    /// Open connections.
    public var limit = 10_000
    /// Open streams of one connection.
    public var streamLimit = 1024
    /// Unsent bytes at which the streams of a connection stop requesting values.
    public var outputLimit = 4 << 20
    /// Unread bytes of answers at which a connection is no longer read.
    public var answerLimit = 64 << 10
    /// Bytes that may wait for one connection, besides its output.
    public var holdLimit = 16 << 20
    /// Errors in a row after which a connection is closed.
    public var errorLimit = 100
  }

  /// How much may be under way between a client and the server.
  public struct Demand: Sendable {
    /// The default window of a stream, in bytes.
    public var window = 256 << 10
    /// The largest window of a stream, in bytes.
    public var windowLimit = 4 << 20
    /// The default grant of a publication, in values.
    public var grant = SubjectDefaults.grant
    /// The largest grant of a publication, in values.
    public var grantLimit = 65_536
    /// Bytes that may wait for room in one publication.
    public var inboxLimit = 4 << 20
  }

  /// How long the server waits for others, in nanoseconds.
  public struct Timeouts: Sendable {
    /// How long a SEND waits for room on a `flow=slowest` subject.
    public var sendWait: Int64 = 5_000_000_000
    /// How long one subscriber may hold up a `flow=slowest` subject by default.
    public var stall = SubjectDefaults.stall
    /// How long a peer that sends no more waits for a further value.
    public var linger: Int64 = 10_000_000_000
    /// How long the peer of a closing connection may read nothing; reading everything may take six times as long.
    public var farewell: Int64 = 10_000_000_000
    /// How long requested values are still delivered when the server stops.
    public var drain: Int64 = 30_000_000_000
    /// How long a connection without streams may be silent.
    public var idle: Int64 = 3_600_000_000_000
    /// How long a client may take to authenticate.
    public var handshake: Int64 = 10_000_000_000
    /// The keep-alive intervals that clients may choose.
    public var ping: ClosedRange<Int64> = 1_000_000_000...3_600_000_000_000
  }

  /// Limits of running pipelines.
  public struct Pipelines: Sendable {
    /// Bytes of one running pipeline, with what its stages hold.
    public var holdLimit = 64 << 20
    /// Publishers that one `flatMap` may have open.
    public var innerPublisherLimit = 10_000
    /// Publishers that all `flatMap`s of one running pipeline may have open.
    public var nestedPublisherLimit = 100_000
    /// Processor time for the sources of pipelines in one turn, in nanoseconds.
    public var slice: Int64 = 2_000_000
    /// Lines a second that the `print`s of one running pipeline may log; all pipelines together may log
    /// five times as many.
    public var printLimit = 100
  }

  /// The NATS of subjects with `on=nats`.
  public struct NATS: Sendable {
    /// The NATS servers for subjects with `on=nats`, each as `HOST:PORT`.
    public var servers: [String] = []
    /// The JetStream domain, if the NATS server is a leaf node of it.
    public var domain: String?
    /// The prefix of the names of streams and subjects in NATS.
    public var prefix = "flow"
    /// How this server authenticates.
    public var login = NATSCredentials.none
    /// Whether to connect; false where files are only checked.
    package var connects = true
  }

  /// The limits of connections.
  public var connections = Connections()
  /// The limits of windows and grants.
  public var demand = Demand()
  /// How long the server waits.
  public var timeouts = Timeouts()
  /// The limits of running pipelines.
  public var pipelines = Pipelines()
  /// The NATS that the server uses.
  public var nats = NATS()
  /// The stores that subjects may live in, besides this server's memory.
  public var stores: [SubjectStoreKind] = []

  /// The longest command line, in bytes.
  public var lineLimit = 64 << 10
  /// The longest value, in bytes.
  public var valueLimit = 1 << 20
  /// Subjects; also the limit for pipelines, and for runs.
  public var nameLimit = 10_000
  /// Calls of one service that may wait for a worker.
  public var waitingCallLimit = 10_000
  /// The most values a `replay` subject may keep.
  public var replayLimit = 65_536
  /// Bytes that one subject may keep.
  public var subjectHoldLimit = 64 << 20
  /// The process memory, in bytes, above which the largest holders are ended.
  public var memory = defaultMemory
  /// The tokens that clients authenticate with; empty for no authentication.
  public var tokens: [Token] = []
  /// Whether clients need a token even if `tokens` is empty, which keeps everyone out.
  public var needsToken = false
  /// Wrong tokens after which a connection is closed.
  public var wrongTokenLimit = 3
  /// Further origins whose pages may use WebSockets, as browsers send them.
  ///
  /// For example `http://tools.example:8080`, or `null` for files.
  public var webOrigins: [String] = []
  /// Whether the page shows values.
  public var webShowsValues = false
  /// Settings that files may not change, because an option or a variable made them.
  package var settled: Set<String> = []
  /// Threads that may write to sockets at the same time.
  public var threads = 1

  /// Makes the default configuration.
  public init() {}

  /// A quarter of the machine's memory, at most 512 MiB.
  private static let defaultMemory = min(512 << 20, ProcessMemory.ofMachine / 4)
}

extension Configuration {
  /// How many steps of closures fit into a `slice`; a step takes about 50 ns.
  var mostSteps: Int { max(1, Int(clamping: pipelines.slice / 50)) }

  /// Parses a size such as `64KiB`, `1GiB` or `5000`; nil if malformed.
  public static func size(_ text: String) -> Int? {
    Quantity.size(text[...]).flatMap { Int(exactly: $0) }
  }

  /// Parses `nats1:4222,nats2:4222`; nil if malformed.
  public static func natsServers(_ text: String) -> [String]? {
    (try? Setting(SettingKey.nats.rawValue, text))?.text.split(separator: ",").map(String.init)
  }

  var limits: NameLimits { NameLimits(names: nameLimit, replayed: replayLimit) }
}

/// Why files cannot be used: all their mistakes.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A report for each mistake: `FILE:LINE:COLUMN: error: text`, the line, and carets.
  public let reports: [String]

  init(place: String, message: String) { reports = ["\(place): \(message)"] }

  init(_ findings: [Finding]) { reports = findings.map(\.report) }

  /// All reports, on separate lines.
  public var description: String { reports.joined(separator: "\n") }
}
