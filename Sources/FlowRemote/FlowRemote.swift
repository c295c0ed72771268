public import FlowCore
package import FlowWire

/// A connection to a Flow server, as publishers, subjects and services.
///
///     let remote = try await FlowRemote.connect(to: "127.0.0.1:3569")
///     let cancellable = remote.publisher("orders", as: Order.self).sink { … } receiveValue: { … }
///
/// Values and answers are delivered on one serial queue; the methods may be called from any thread.
/// Blocking the queue stops reading from the socket, and in the end the server's sending. For a
/// closure that uses the main actor, as in `main.swift`, insert `receive(on: DispatchQueue.main)`.
///
/// A lost connection is restored, with a backoff, unless `Settings.reconnect` is `nil`:
/// - A subscription is reopened with its outstanding demand. It misses values that were published
///   meanwhile or in transit; a cold expression starts again.
/// - A publication continues when it is granted more. Values sent just before may be lost, because
///   single values are not confirmed; none is sent twice.
/// - A service is offered again; the server has failed its open calls.
/// - A command that waits for its answer fails with `RemoteError.lost`.
///
/// If the server refuses to reopen a stream, the stream fails. After 50 refusals in a row, the next
/// commands wait for 0.1 s.
public final class FlowRemote: Sendable {
  /// The server and its version: `flow/0.1.0`.
  public let product: String
  /// The largest value in bytes, as announced at the last connect.
  public var largestValue: Int { link.largestValue }

  let link: Link

  private init(_ link: Link, _ greeting: Greeting) {
    self.link = link
    product = greeting.product
  }

  /// Connects to `HOST:PORT` or `unix:PATH` and exchanges greetings.
  ///
  /// It tries once, and throws if the server cannot be reached. If the task is cancelled meanwhile,
  /// it throws `RemoteError.taskCancelled` at once and leaves no connection open.
  public static func connect(
    to address: String,
    settings: Settings = Settings()
  ) async throws(RemoteError) -> FlowRemote {
    let link = Link(to: address, settings: settings)
    return try await AwaitedAnswer.wait { done in
      link.start { greeting in done(greeting.map { FlowRemote(link, $0) }) }
    } giveUp: {
      link.close()
    }
  }

  package static func connect(
    to address: String,
    settings: Settings,
    done: @escaping @Sendable (Result<FlowRemote, RemoteError>) -> Void
  ) {
    let link = Link(to: address, settings: settings)
    link.start { greeting in done(greeting.map { FlowRemote(link, $0) }) }
  }

  deinit { link.close() }

  /// Sends a command; calls `answer` with its answer, in the order of sending.
  ///
  /// Lines that the server would not answer fail with `usage` without being sent: an empty line,
  /// several lines, a value, a signal without a tag. So do `FEED` and `TAIL`, which take over the
  /// connection.
  public func command(
    _ line: String,
    answer: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void
  ) {
    link.perform { link in
      if let refusal = RemoteError.refusal(ofCommand: line) { return answer(.failure(refusal)) }
      link.command(Array("\(line)\n".utf8), answer)
    }
  }

  /// Sends a command and waits for its answer, see `command(_:answer:)`.
  ///
  /// A cancelled task stops waiting; the server may still carry out the command.
  @discardableResult
  public func command(_ line: String) async throws(RemoteError) -> RemoteAnswer {
    try await AwaitedAnswer.wait { command(line, answer: $0) }
  }

  package func command(
    _ command: Command,
    answer: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void
  ) {
    link.perform { link in link.command(command.bytes, answer) }
  }

  @discardableResult
  package func command(_ command: Command) async throws(RemoteError) -> RemoteAnswer {
    try await AwaitedAnswer.wait { self.command(command, answer: $0) }
  }

  /// Opens a stream of values; `handler` gets its events on the connection's queue.
  ///
  /// A `durable` stream survives this client, see `RemotePublisher.durable(_:window:)`: a value is
  /// acknowledged when the handler has returned from it and more is requested, or by
  /// `acknowledge()`. `window` bounds its values in transit or unacknowledged, from 1 to 16,384.
  public func subscribe(
    _ expression: String,
    demand: Subscribers.Demand = .none,
    durable: String? = nil,
    window: Int = 1024,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    let subscription = makeSubscription(
      expression,
      durable: durable.map { Durable(name: $0, window: window) },
      handler: handler
    )
    subscription.open(demand)
    return subscription
  }

  /// Opens a stream of the values that pass `name`, or one of its stages; `handler` gets its events
  /// on the connection's queue.
  ///
  /// It does not affect demand: values beyond its own demand, or not read in time, are reported as
  /// missed.
  public func tap(
    _ name: String,
    stage: Int? = nil,
    demand: Subscribers.Demand = .none,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    let subscription = RemoteSubscription(
      remote: self,
      expression: name,
      tap: Tapped(stage: stage),
      handler: handler
    )
    subscription.open(demand)
    return subscription
  }

  /// Makes a stream without opening it.
  func makeSubscription(
    _ expression: String,
    durable: Durable? = nil,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    RemoteSubscription(remote: self, expression: expression, durable: durable, handler: handler)
  }

  /// Opens a publication to the subject `name`; `handler` gets its events on the connection's
  /// queue.
  ///
  /// `grant` is how many values it may run ahead, from 1 to 65,536; the server refuses others.
  public func publish(
    to name: String,
    grant: Int? = nil,
    handler: any RemotePublicationHandler & Sendable
  ) -> RemotePublication {
    let publication = RemotePublication(remote: self, name: name, grant: grant, handler: handler)
    publication.open()
    return publication
  }

  /// The clock of round trips, in nanoseconds.
  package var now: UInt64 { link.now }

  /// The server's shortest answer time on this connection, in nanoseconds; read it on the queue.
  package var roundTrip: UInt64? { link.roundTrip }

  /// Runs `work` on the connection's queue.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    link.perform { _ in work() }
  }

  /// Closes the connection; every stream fails with `closed`.
  public func close() {
    link.close()
  }
}

/// A line sent or received.
public struct RemoteTrace: Sendable {
  /// Whether it came from the server.
  public var isInput: Bool
  /// The line without its end.
  public var line: String
}
