public import FlowCore
import FlowWire

/// A connection to a Flow server.
///
///     let remote = try Remote.connect(to: "127.0.0.1:3569")
///     let cancellable = remote.publisher("orders.filter { $0.price > 100 }").sink { … } _: { … }
///
/// Everything happens on one serial queue, where values and answers are delivered too; the methods
/// may be called from any thread. Blocking that queue stops the reading of the socket, which in the
/// end stops the server's sending.
public final class Remote: Sendable {
  /// What a connection was made to, and by whom.
  public struct Settings: Sendable {
    /// Said to the server, and shown by its `LIST clients`.
    public var name: String?
    /// How long connecting and greeting may take.
    public var patience = Duration.seconds(10)
    /// Is told every line in and out, on the connection's queue.
    public var trace: (@Sendable (RemoteTrace) -> Void)?
    /// Is told that the server goes away within so many seconds, on the connection's queue.
    public var draining: (@Sendable (UInt64) -> Void)?
    /// Is told once that the connection is gone, and why, on the connection's queue.
    public var closed: (@Sendable (RemoteError) -> Void)?

    /// The usual settings.
    public init() {}
  }

  /// The server and its version, as in `flow/0.1.0`.
  public let product: String
  /// The most octets a value may have.
  public let largestValue: Int

  private let link: Link

  private init(_ link: Link, settings: Settings) throws(RemoteError) {
    let greeting = try link.greet(settings)
    self.link = link
    product = greeting.product
    largestValue = greeting["maxvalue"].flatMap { Int($0) } ?? 1_048_576
  }

  /// Connects to `HOST:PORT` or `unix:PATH` and exchanges greetings; waits for both.
  public static func connect(
    to address: String,
    settings: Settings = Settings()
  ) throws(RemoteError) -> Remote {
    try Remote(try Link.connect(to: address, settings: settings), settings: settings)
  }

  deinit { link.close() }

  /// Sends one command and gives its answer, in the order of sending, to `answer`.
  public func command(
    _ line: String,
    answer: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void
  ) {
    link.perform { link in link.command(line, answer) }
  }

  /// The values of a subject, a pipeline or an expression, each the octets of its payload.
  ///
  /// Every subscriber opens a stream of its own, and what it asks for is asked of the server.
  public func publisher(_ expression: String) -> RemotePublisher {
    RemotePublisher(remote: self, expression: expression)
  }

  /// Something that subscribes to a publisher of payloads and sends them to the subject `name`.
  ///
  /// It asks for what the subject grants, so that a slow subscriber there slows the publisher here.
  /// `ended` is told once that all has arrived, or why not.
  public func subscriber(
    sendingTo name: String,
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void = { _ in }
  ) -> RemoteSubscriber {
    RemoteSubscriber(remote: self, name: name, ended: ended)
  }

  /// Opens a stream of values whose events `handler` gets on the connection's queue.
  public func subscribe(
    _ expression: String,
    demand: Subscribers.Demand = .none,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    let subscription = makeSubscription(expression, handler: handler)
    subscription.open(demand)
    return subscription
  }

  /// Makes a stream that is still to be opened.
  func makeSubscription(
    _ expression: String,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    RemoteSubscription(remote: self, link: link, expression: expression, handler: handler)
  }

  /// Opens a publication to the subject `name` whose events `handler` gets on the connection's queue.
  ///
  /// `grant` is how far the server may let it run ahead, up to 65,536.
  public func publish(
    to name: String,
    grant: Int? = nil,
    handler: any RemotePublicationHandler & Sendable
  ) -> RemotePublication {
    let publication = RemotePublication(
      remote: self,
      link: link,
      name: name,
      grant: grant,
      handler: handler
    )
    publication.open()
    return publication
  }

  /// Runs `work` on the connection's queue.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    link.perform { _ in work() }
  }

  /// Says goodbye; every stream ends with the error `closed`.
  public func close() {
    link.close()
  }
}

/// One line in or out.
public struct RemoteTrace: Sendable {
  /// Whether it came from the server.
  public var isInput: Bool
  /// The line without its end.
  public var line: String
}
