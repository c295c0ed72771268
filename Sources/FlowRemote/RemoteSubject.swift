public import FlowCore

/// A subject of a server: what is sent to it here is published there, to all its subscribers.
///
///     let orders = remote.subject("orders", as: Order.self)
///     let cancellable = source.subscribe(orders)   // as fast as the subject grants
///     orders.send(Order(id: 1))
///
/// **Values** wait in an inbox (16,384 values or 4 MiB) until the subject grants them and the socket
/// takes them. When it is full, `send` waits, which is how a slow subscriber slows a thread that
/// publishes; so it does while there is no connection. The connection's own queue cannot wait:
/// there a value that finds no room is not kept, but counted in `missed`. So publish what you
/// receive through `subscribe`, which asks for no more than there is room for, or on another
/// connection. Nothing else is lost but what is on its way when a connection breaks.
///
/// **A publisher** that is subscribed with `subscribe` is asked for what the server grants and
/// nothing else, and has a publication of its own, so that several do not hold up one another.
/// Through an `AnySubscriber` a subject takes one publisher at a time.
///
/// **A completion** completes the subject of the server, for all; a failure fails it with the
/// error's `code` and `text`. To end only here, let go of the subject, or wait for `finish()`.
///
/// **Subscribers** of this object subscribe to the server's subject, as `publisher(_:)` does.
public final class RemoteSubject<Output>: Subject, Sendable {
  public typealias Failure = RemoteError

  /// The subject's name at the server.
  public let name: String

  private let publisher: RemotePublisher<Output>
  private let encode: @Sendable (Output) throws(RemoteError) -> [UInt8]
  /// For what is sent to this object itself.
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
  /// They found a full inbox on the connection's own queue, or were in it when the server, or the
  /// connection for good, ended the publication. A value whose `send` was still waiting for room then
  /// was never in it: it is not counted, nor is what is sent after the end.
  public var missed: UInt64 { outlet.missed }

  /// Sends `value`; waits while the inbox is full, except on the connection's own queue.
  ///
  /// A value that cannot be encoded ends the publication with `RemoteError.unencodable`, and a value larger than
  /// the server takes ends it with the code `value-too-long`; what is in the inbox is sent before.
  public func send(_ value: Output) {
    outlet.send(value, encode)
  }

  /// Completes the subject at the server, or fails it, after what is in the inbox.
  ///
  /// A failure's text is shortened to what a line holds, and a code that is no word is `upstream`.
  public func send(completion: Subscribers.Completion<RemoteError>) {
    outlet.complete(completion)
  }

  /// Takes the subscription of a publisher, and requests what the server grants.
  ///
  /// The publisher that came before is not asked for more.
  public func send(subscription: any Subscription) {
    outlet.attach(subscription)
  }

  /// Attaches `subscriber` to the server's subject, by a stream of its own.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    publisher.receive(subscriber: subscriber)
  }

  /// Ends sending through this object, and waits until the server has taken all of it.
  ///
  /// The subject itself goes on. What is sent later is ignored. A cancelled task stops waiting; what was sent
  /// before still goes out, and sending still ends.
  public func finish() async throws(RemoteError) {
    try await AwaitedAnswer.wait {
      outlet.finish($0)
    } giveUp: { [outlet] in
      outlet.finish { _ in }
    }
  }

  /// Returns a subscriber that sends a publisher's values on a publication of its own.
  fileprivate func makeSubscriber() -> RemoteSubscriber<Output> {
    RemoteSubscriber(makeOutlet(), encode: encode)
  }
}

extension Publisher where Failure == RemoteError {
  /// Sends everything from this publisher to `subject`, asking for what the server grants.
  public func subscribe(_ subject: RemoteSubject<Output>) -> AnyCancellable {
    let subscriber = subject.makeSubscriber()
    receive(subscriber: subscriber)
    return AnyCancellable(subscriber)
  }
}

extension Publisher where Failure == Never {
  /// Sends everything from this publisher to `subject`, asking for what the server grants.
  public func subscribe(_ subject: RemoteSubject<Output>) -> AnyCancellable {
    setFailureType(to: RemoteError.self).subscribe(subject)
  }
}
