public import FlowCore
public import Foundation

extension NotificationCenter {
  /// Publishes the notifications with this name, and from this object, if one is given.
  ///
  /// It never ends. A notification for which there is no demand is left out.
  public func publisher(
    for name: Notification.Name,
    object: AnyObject? = nil
  ) -> NotificationCenter.Publisher {
    Publisher(center: self, name: name, object: object)
  }

  /// See `publisher(for:object:)`.
  public struct Publisher: FlowCore.Publisher {
    public typealias Output = Notification
    public typealias Failure = Never

    /// Where notifications are posted.
    public let center: NotificationCenter
    /// The name of those that are published.
    public let name: Notification.Name
    /// Who posts those that are published; anybody if there is none.
    public let object: AnyObject?

    public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
      self.center = center
      self.name = name
      self.object = object
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Notification, S.Failure == Never {
      let observer = Observer(self)
      observer.source.subscribe(subscriber)
      observer.observe()
      subscriber.receive(subscription: observer)
    }
  }
}

extension NotificationCenter.Publisher: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
  }
}

extension NotificationCenter.Publisher {
  /// Passes notifications on; the center does not keep it alive, only its subscriber does.
  private final class Observer: Subscription, _SelfDescribing, @unchecked Sendable {
    let source = FannedSource<Notification>()
    private let lock = NSLock()
    // There until it is cancelled; the lock guards both.
    private var publisher: NotificationCenter.Publisher?
    private var token: (any NSObjectProtocol)?

    init(_ publisher: NotificationCenter.Publisher) { self.publisher = publisher }

    deinit { cancel() }

    func observe() {
      guard let publisher = lock.withLock({ publisher }) else { return }
      let token = publisher.center.addObserver(
        forName: publisher.name,
        object: publisher.object,
        queue: nil
      ) { [weak self] in self?.source.send($0) }
      lock.withLock { self.token = token }
    }

    func request(_ demand: Subscribers.Demand) {
      if demand > 0 { source.request(demand) }
    }

    func cancel() {
      let (publisher, token) = lock.withLock { (self.publisher.take(), self.token.take()) }
      source.cancel()
      if let token { publisher?.center.removeObserver(token) }
    }

    var description: String { "NotificationCenter Observer" }

    var _children: [Mirror.Child] {
      let publisher = lock.withLock { self.publisher }
      return [
        ("center", publisher?.center as Any),
        ("name", publisher?.name as Any),
        ("object", publisher?.object as Any),
        ("demand", source.demand),
      ]
    }
  }
}
