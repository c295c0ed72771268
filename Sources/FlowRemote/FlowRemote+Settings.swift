package import FlowTransport

extension FlowRemote {
  /// The settings of a connection, and closures called when it changes.
  public struct Settings: Sendable {
    /// The client's name, one word, as `LIST clients` of the server shows it.
    public var name: String?
    /// The token for a server that requires one; traces do not show it.
    public var token: String?
    /// The timeout of each attempt to connect and greet.
    public var patience = Duration.seconds(10)
    /// The delays before reconnecting; with `nil` a lost connection fails everything on it.
    public var reconnect: Backoff? = Backoff()
    /// The most open streams; a further one fails with the code `limit` without asking the server.
    ///
    /// The server allows 1,024 for each connection, unless its `stream-limit` is set.
    public var mostStreams = 1024
    /// Called with every line sent or received, on the connection's queue.
    public var trace: (@Sendable (RemoteTrace) -> Void)?
    /// Called on the connection's queue when the server announces its stop, with the seconds until
    /// then.
    public var draining: (@Sendable (UInt64) -> Void)?
    /// Called on the connection's queue when it is lost, restored or closed for good.
    public var stateChanged: (@Sendable (State) -> Void)?
    /// The source of sockets, time and random numbers.
    package var platform: any Platform = SystemPlatform.shared

    /// The default settings.
    public init() {}
  }

  /// The state of a connection after a change.
  public enum State: Equatable, Sendable {
    /// Restored; its streams were opened again.
    case connected
    /// Lost; the next attempt follows after `delay`.
    case reconnecting(after: RemoteError, delay: Duration)
    /// Closed for good; everything on it has failed.
    case closed(RemoteError)
  }
}

/// The delays before reconnecting.
///
/// After a connection that lasted for `longest`, the delays start with `first` again.
public struct Backoff: Equatable, Sendable {
  /// The longest delay before the first attempt; the bound may double with each further one.
  public var first = Duration.milliseconds(200)
  /// The longest delay.
  public var longest = Duration.seconds(5)

  /// The default: 0.2 s, 0.4 s, … 5 s, each shortened at random by up to a half.
  public init() {}

  /// Makes delays between `first` and `longest`, each shortened at random by up to a half.
  public init(first: Duration, longest: Duration) {
    self.first = first
    self.longest = longest
  }

  /// The delay before attempt `number`, counted from 0; `chance` is between 0 and 1.
  func delay(beforeAttempt number: Int, chance: Double) -> Duration {
    let full = min(first * (1 << min(number, 30)), longest)
    return full * (1 - chance / 2)
  }

  package func delay(beforeAttempt number: Int, on platform: any Platform) -> Duration {
    delay(beforeAttempt: number, chance: Double(platform.random() >> 11) / Double(1 << 53))
  }
}
