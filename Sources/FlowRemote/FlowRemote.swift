public import FlowCore
package import FlowWire

/// A connection to a Flow server, as publishers, subjects and services.
///
///     let remote = try await FlowRemote.connect(to: "127.0.0.1:3569")
///     let cancellable = remote.publisher("orders", as: Order.self).sink { … } receiveValue: { … }
///
/// Everything happens on one serial queue, where values and answers are delivered too; the methods
/// may be called from any thread. Blocking that queue stops the reading of the socket, which in the
/// end stops the server's sending. A closure that is written on the main actor, as in `main.swift`,
/// and uses what belongs to it, belongs there: put `receive(on: DispatchQueue.main)` before it.
///
/// A connection that is lost is made again, with a backoff, unless `Settings.reconnect` is `nil`:
/// - a subscription is opened again with what it has asked for and not received. Values that were
///   published meanwhile, or were on their way, are missed; a cold expression begins anew.
/// - a publication goes on when it is granted more. Values that were sent just before may be lost
///   with the connection, since nobody confirms single values; none is sent twice.
/// - a service is offered again; the server has failed the calls that were open.
/// - a command that waits for its answer fails with `RemoteError.lost`.
///
/// When the server refuses what is opened again, that fails as it would have at first. After 50 refusals in a
/// row the next commands wait for 0.1 s.
public final class FlowRemote: Sendable {
  /// The server and its version, as in `flow/0.1.0`.
  public let product: String
  /// The most bytes a value may have, as the server said when it was connected to last.
  public var largestValue: Int { link.largestValue }

  let link: Link

  private init(_ link: Link, _ greeting: Greeting) {
    self.link = link
    product = greeting.product
  }

  /// Connects to `HOST:PORT` or `unix:PATH` and exchanges greetings.
  ///
  /// The first attempt is the only one: it throws if the server is not there. If the task is cancelled
  /// meanwhile, it throws `RemoteError.taskCancelled` at once and leaves no connection open.
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

  /// Connects; calls `done` with the result, on the connection's queue.
  package static func connect(
    to address: String,
    settings: Settings,
    done: @escaping @Sendable (Result<FlowRemote, RemoteError>) -> Void
  ) {
    let link = Link(to: address, settings: settings)
    link.start { greeting in done(greeting.map { FlowRemote(link, $0) }) }
  }

  deinit { link.close() }

  /// Sends one command and gives its answer, in the order of sending, to `answer`.
  ///
  /// What the server would not answer is not sent and fails with the code `usage`: an empty line,
  /// more than one, a value, and a signal without a tag; so do `FEED` and `TAIL`, which take the
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

  /// Sends one command and waits for its answer, see `command(_:answer:)`.
  ///
  /// A cancelled task stops waiting; the server may still carry out the command.
  @discardableResult
  public func command(_ line: String) async throws(RemoteError) -> RemoteAnswer {
    try await AwaitedAnswer.wait { command(line, answer: $0) }
  }

  /// Sends one command and gives its answer, in the order of sending, to `answer`.
  package func command(
    _ command: Command,
    answer: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void
  ) {
    link.perform { link in link.command(command.bytes, answer) }
  }

  /// Sends one command and waits for its answer.
  @discardableResult
  package func command(_ command: Command) async throws(RemoteError) -> RemoteAnswer {
    try await AwaitedAnswer.wait { self.command(command, answer: $0) }
  }

  /// Opens a stream of values whose events `handler` gets on the connection's queue.
  ///
  /// With `durable` it is one that survives this client, see `RemotePublisher.durable(_:window:)`: a
  /// value is acknowledged when the handler has returned from it and more is asked for, or by
  /// `acknowledge()`. `window` is how many values of such a one may be under way or not acknowledged at
  /// a time, from 1 to 16,384.
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

  /// Opens a stream of what passes `name`, or one of its stages, whose events `handler` gets on the
  /// connection's queue.
  ///
  /// It is no subscription: nobody waits for it, and values that come while it has asked for none, or
  /// which are not read, are left out and told as missed.
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

  /// Makes a stream that is still to be opened.
  func makeSubscription(
    _ expression: String,
    durable: Durable? = nil,
    handler: any RemoteSubscriptionHandler & Sendable
  ) -> RemoteSubscription {
    RemoteSubscription(remote: self, expression: expression, durable: durable, handler: handler)
  }

  /// Opens a publication to the subject `name` whose events `handler` gets on the connection's queue.
  ///
  /// `grant` is how far the server may let it run ahead, from 1 to 65,536; it refuses others.
  public func publish(
    to name: String,
    grant: Int? = nil,
    handler: any RemotePublicationHandler & Sendable
  ) -> RemotePublication {
    let publication = RemotePublication(remote: self, name: name, grant: grant, handler: handler)
    publication.open()
    return publication
  }

  /// Nanoseconds of the clock that round trips are measured with.
  package var now: UInt64 { link.now }

  /// The time of the server's quickest answer on this connection, in nanoseconds; on the
  /// connection's queue.
  package var roundTrip: UInt64? { link.roundTrip }

  /// Runs `work` on the connection's queue.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    link.perform { _ in work() }
  }

  /// Closes the connection; every stream ends with the error `closed`.
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
