/// Publishes a property of a class before each change.
///
///     @Published var count = 0
///
///     count =    1--2--3
///     $count     0-1--2--3
///
/// A new subscriber is sent the present value first. The property still has its old value while
/// the new one is sent; what a subscriber sets it to meanwhile is overwritten then.
@propertyWrapper
public struct Published<Value> {
  private let subject: PublishedSubject<Value>

  /// Makes a property with its first value.
  public init(wrappedValue: Value) { subject = PublishedSubject(wrappedValue) }

  /// Makes a property with its first value.
  public init(initialValue: Value) { subject = PublishedSubject(initialValue) }

  /// What `$property` is; it never ends.
  public struct Publisher: FlowCore.Publisher {
    public typealias Output = Value
    public typealias Failure = Never

    fileprivate let subject: PublishedSubject<Value>

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == Never {
      subject.receive(subscriber: subscriber)
    }
  }

  /// The property's publisher; as in Combine, setting it is possible and changes nothing.
  public var projectedValue: Publisher {
    mutating get { Publisher(subject: subject) }
    set {}
  }

  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and changes the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].subject.value }
    set { object[keyPath: storageKeyPath].subject.send(newValue) }
  }
}

extension Published: PublishedProperty {
  static func property(at pointer: UnsafeRawPointer) -> any ChangingProperty {
    pointer.assumingMemoryBound(to: Published.self).pointee.subject
  }
}

extension Publisher where Failure == Never {
  /// Sets a property to each value, for as long as the property lives.
  ///
  ///     numbers.assign(to: &model.$count)
  ///
  /// Everything is asked for. The property does not end when this publisher does.
  public func assign(to published: inout Published<Output>.Publisher) {
    subscribe(PublishedSetter(published.subject))
  }
}

/// Holds a published property's value, and its subscribers.
final class PublishedSubject<Value>: _SubjectBase<Value, Never>, ChangingProperty {
  // Changed inside the owner word and under this lock: who is inside reads it as it is.
  private let lock = Lock()
  @exclusivity(unchecked) private var current: Value
  private var told: ObservableObjectPublisher?

  init(_ value: Value) {
    current = value
    super.init()
    demandUpstreams()
  }

  var value: Value { lock.withLock { current } }

  var changes: ObservableObjectPublisher? {
    get { lock.withLock { told } }
    set {
      let old = lock.withLock {
        defer { told = newValue }
        return told
      }
      withExtendedLifetime(old) {}
    }
  }

  func send(_ value: Value) {
    changes?.send()
    owner.enter()
    let known = conduits.count
    forEachConduit { offer(value, to: $0) }
    var old = value
    lock.withLock { swap(&old, &current) }
    offerToArrivals(after: known, value)
    leave()
  }

  /// Sends it to those who have subscribed while it was sent, and have been sent the old one.
  private func offerToArrivals(after known: Int, _ value: Value) {
    guard conduits.count > known else { return }
    var index = 0
    forEachConduit {
      if index >= known { offer(value, to: $0) }
      index += 1
    }
  }

  override var conduitName: String { "PublishedSubject" }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    attach(
      _ConduitTo(self, subscriber) { object, count in
        let conduit = unsafeDowncast(object, to: Conduit.self)
        if count < 0 { return conduit.hub.cancel(conduit) }
        conduit.addDemand(count)
        unsafeDowncast(conduit.hub, to: PublishedSubject.self).catchUp(conduit)
      }
    )
  }

  private func offer(_ value: Value, to conduit: Conduit) {
    conduit.isBehind = true
    guard conduit.takeDemand() else { return }
    conduit.isBehind = false
    conduit.addDemand(conduit.offer(conduit, value))
  }

  private func catchUp(_ conduit: Conduit) {
    guard owner.enterOrLeaveNote() else { return }
    if conduit.isBehind {
      delivering += 1
      offer(current, to: conduit)
      delivering -= 1
    }
    leave()
  }

  override func catchUp() {
    forEachConduit { if $0.isBehind { offer(current, to: $0) } }
  }
}

/// Sets a published property, which holds the subscription; it does not hold the property.
private final class PublishedSetter<Value>: Subscriber {
  private let lock = Lock()
  private weak var subject: PublishedSubject<Value>?
  private var isSubscribed = false

  init(_ subject: PublishedSubject<Value>) { self.subject = subject }

  func receive(subscription: any Subscription) {
    let isFirst = lock.withLock {
      defer { isSubscribed = true }
      return !isSubscribed
    }
    guard isFirst, let subject else { return subscription.cancel() }
    subject.add(upstream: subscription)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    subject?.send(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}
