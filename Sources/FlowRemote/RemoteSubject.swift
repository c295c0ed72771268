public import FlowCore

/// A subject of a server: values sent here are published there, to all subscribers.
///
///     let orders = remote.subject("orders", as: Order.self)
///     let cancellable = source.subscribe(orders)   // as fast as the subject grants
///     orders.send(Order(id: 1))
///
/// **Values** wait in an inbox (16,384 values or 4 MiB) until they are granted and the socket takes
/// them. When it is full, or without a connection, `send` blocks: a slow subscriber slows the
/// publishing thread. The connection's own queue cannot block: there a value without room is
/// dropped and counted in `missed`. So republish received values through `subscribe`, which
/// requests only what fits, or on another connection. Otherwise only values in transit on a broken
/// connection are lost.
///
/// **A publisher** attached with `subscribe` is asked only for what the server grants, and has its
/// own publication, so that publishers do not block each other. Through an `AnySubscriber`, a
/// subject takes one publisher at a time.
///
/// **A completion** completes the server's subject for all; a failure sends the error's `code` and
/// `text`. To end only this object's sending, release it or await `finish()`.
///
/// **Subscribers** of this object subscribe to the server's subject, as with `publisher(_:)`.
public final class RemoteSubject<Output>: Subject, Sendable {
  public typealias Failure = RemoteError

  /// The subject's name on the server.
  public let name: String

  private let publisher: RemotePublisher<Output>
  private let encode: @Sendable (Output) throws(RemoteError) -> [UInt8]
  /// The outlet of values sent to this object itself.
  private let outlet: RemoteOutlet
  private let makeOutlet: @Sendable () -> RemoteOutlet

  init(
    remote: FlowRemote,
    name: String,
    grant: Int?,
    publisher: RemotePublisher<Output>,
    encode: @escaping @Sendable (Output) throws(RemoteError) -> [UInt8],
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void
  ) {
    self.name = name
    self.publisher = publisher
    self.encode = encode
    makeOutlet = { RemoteOutlet(remote: remote, name: name, grant: grant, ended: ended) }
    outlet = makeOutlet()
  }

  deinit { outlet.finish { _ in } }

  /// The number of values that were sent here and discarded.
  ///
  /// They found a full inbox on the connection's own queue, or were in the inbox when the
  /// publication ended. Values still waiting in `send` then, and those sent after the end, are not
  /// counted.
  public var missed: UInt64 { outlet.missed }

  /// Sends `value`; blocks while the inbox is full, except on the connection's own queue.
  ///
  /// A value that cannot be encoded ends the publication with `RemoteError.unencodable`, and one
  /// above the server's limit with the code `value-too-long`; values in the inbox are sent first.
  public func send(_ value: Output) {
    outlet.send(value, encode)
  }

  /// Completes or fails the server's subject, after the values in the inbox.
  ///
  /// A failure's text is shortened to fit a line, and a code that is not a word becomes `upstream`.
  public func send(completion: Subscribers.Completion<RemoteError>) {
    outlet.complete(completion)
  }

  /// Attaches a publisher, which is asked for what the server grants.
  ///
  /// The previous publisher gets no more requests.
  public func send(subscription: any Subscription) {
    outlet.attach(subscription)
  }

  /// Attaches `subscriber` to the server's subject by a stream of its own.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    publisher.receive(subscriber: subscriber)
  }

  /// Ends sending through this object, and waits until the server has taken all values.
  ///
  /// The subject continues. Values sent later are ignored. A cancelled task stops waiting, but its
  /// values are still sent, and sending still ends.
  public func finish() async throws(RemoteError) {
    try await AwaitedAnswer.wait {
      outlet.finish($0)
    } giveUp: { [outlet] in
      outlet.finish { _ in }
    }
  }

  /// Returns a subscriber with a publication of its own.
  fileprivate func makeSubscriber() -> RemoteSubscriber<Output> {
    RemoteSubscriber(makeOutlet(), encode: encode)
  }
}

extension Publisher where Failure == RemoteError {
  /// Publishes everything to `subject`, with the demand that the server grants.
  public func subscribe(_ subject: RemoteSubject<Output>) -> AnyCancellable {
    let subscriber = subject.makeSubscriber()
    receive(subscriber: subscriber)
    return AnyCancellable(subscriber)
  }
}

extension Publisher where Failure == Never {
  /// Publishes everything to `subject`, with the demand that the server grants.
  public func subscribe(_ subject: RemoteSubject<Output>) -> AnyCancellable {
    setFailureType(to: RemoteError.self).subscribe(subject)
  }
}
