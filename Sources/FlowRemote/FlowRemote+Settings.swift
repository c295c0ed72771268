package import FlowTransport

extension FlowRemote {
  /// How a connection is made and kept, and what is called when it changes.
  public struct Settings: Sendable {
    /// The client's name, one word, as `LIST clients` of the server shows it.
    public var name: String?
    /// The token for a server that asks for one; traces do not show it.
    public var token: String?
    /// How long connecting and greeting may take, each time.
    public var patience = Duration.seconds(10)
    /// How a lost connection is made again; `nil`: it is not, and everything on it fails.
    public var reconnect: Backoff? = Backoff()
    /// How many streams may be open at a time; one more fails here with the code `limit`.
    ///
    /// The server allows 1,024 for each connection, unless its `stream-limit` is set.
    public var mostStreams = 1024
    /// Called with every line in and out, on the connection's queue.
    public var trace: (@Sendable (RemoteTrace) -> Void)?
    /// Called when the server announces that it stops within so many seconds, on the connection's
    /// queue.
    public var draining: (@Sendable (UInt64) -> Void)?
    /// Called when the connection is lost, restored or closed for good, on its queue.
    public var stateChanged: (@Sendable (State) -> Void)?
    /// Where sockets, time and chance come from.
    package var platform: any Platform = SystemPlatform.shared

    /// The default settings.
    public init() {}
  }

  /// How a connection stands after a change.
  public enum State: Equatable, Sendable {
    /// It has been restored; what was open on it has been opened again.
    case connected
    /// It is lost and will be tried again after `delay`.
    case reconnecting(after: RemoteError, delay: Duration)
    /// It is gone for good; everything on it has failed.
    case closed(RemoteError)
  }
}

/// How long to wait before each attempt to connect again.
///
/// After a connection that lasted for `longest`, the waits start with `first` again.
public struct Backoff: Equatable, Sendable {
  /// The longest wait before the first attempt; each further one may be twice as long.
  public var first = Duration.milliseconds(200)
  /// What no wait exceeds.
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

  /// The same by a chance of the platform's.
  package func delay(beforeAttempt number: Int, on platform: any Platform) -> Duration {
    delay(beforeAttempt: number, chance: Double(platform.random() >> 11) / Double(1 << 53))
  }
}
