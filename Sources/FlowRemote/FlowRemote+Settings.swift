package import FlowTransport

extension FlowRemote {
  /// The settings of a connection, and closures that are called when it changes.
  public struct Settings: Sendable {
    /// The client's name, one word, as `LIST clients` of the server shows it.
    public var name: String?
    /// The token for a server that asks for one; traces do not show it.
    public var token: String?
    /// The longest time for connecting and greeting, in each attempt.
    public var patience = Duration.seconds(10)
    /// The delays before a lost connection is made again; with `nil` it is not, and everything on
    /// it fails.
    public var reconnect: Backoff? = Backoff()
    /// The most streams at a time; one more fails here with the code `limit`.
    ///
    /// The server allows 1,024 for each connection, unless its `stream-limit` is set.
    public var mostStreams = 1024
    /// Called with every line in and out, on the connection's queue.
    public var trace: (@Sendable (RemoteTrace) -> Void)?
    /// Called when the server announces that it stops, with the seconds until then; on the
    /// connection's queue.
    public var draining: (@Sendable (UInt64) -> Void)?
    /// Called when the connection is lost, restored or closed for good, on its queue.
    public var stateChanged: (@Sendable (State) -> Void)?
    /// The source of sockets, time and random numbers.
    package var platform: any Platform = SystemPlatform.shared

    /// The default settings.
    public init() {}
  }

  /// The state of a connection after a change.
  public enum State: Equatable, Sendable {
    /// Restored; the streams that were open on it have been opened again.
    case connected
    /// Lost, and tried again after `delay`.
    case reconnecting(after: RemoteError, delay: Duration)
    /// Closed for good; everything on it has failed.
    case closed(RemoteError)
  }
}

/// The delays before attempts to connect again.
///
/// After a connection that lasted for `longest`, the waits start with `first` again.
public struct Backoff: Equatable, Sendable {
  /// The longest wait before the first attempt; each further one may be twice as long.
  public var first = Duration.milliseconds(200)
  /// The longest delay.
  public var longest = Duration.seconds(5)

  /// The usual: 0.2 s, 0.4 s, … 5 s, each shortened at random by up to a half.
  public init() {}

  /// Waits between `first` and `longest`, each shortened at random by up to a half.
  public init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// The wait before attempt `number`, counted from 0; `chance` is between 0 and 1.
  func delay(beforeAttempt number: Int, chance: Double) -> Duration {
    let full = min(first * (1 << min(number, 30)), longest)
    return full * (1 - chance / 2)
  }

  /// The delay before attempt `number`, with a random number of `platform`.
  package func delay(beforeAttempt number: Int, on platform: any Platform) -> Duration {
    delay(beforeAttempt: number, chance: Double(platform.random() >> 11) / Double(1 << 53))
  }
}
