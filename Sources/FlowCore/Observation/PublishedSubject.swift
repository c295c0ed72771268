/// Holds a published property's value, and its subscribers.
final class PublishedSubject<Value>: _SubjectBase<Value, Never>, ChangingProperty {
  // Changed inside the owner word and under this lock: who is inside reads it as it is.
  private let lock = Lock()
  private var current: Value
  private var told: ObservableObjectPublisher?
  private var setters: [PublishedSetter<Value>] = []

  init(_ value: Value) {
    current = value
    super.init()
  }

  deinit { for setter in setters { setter.cancel() } }

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

  func add(_ setter: PublishedSetter<Value>) { lock.withLock { setters.append(setter) } }

  /// Lets go of a setter that has nothing more to say.
  func remove(_ setter: PublishedSetter<Value>) {
    lock.withLock { setters.removeAll { $0 === setter } }
  }

  func send(_ value: Value) {
    changes?.send()
    owner.enter()
    let known = state.conduits.count
    forEachConduit { offer(value, to: $0) }
    var old = value
    lock.withLock { swap(&old, &current) }
    offerToArrivals(after: known, value)
    withExtendedLifetime(old) {}  // its deinit may send a newer value
    leave()
  }

  /// Sends it to those who have subscribed while it was sent, and have been sent the old one.
  private func offerToArrivals(after known: Int, _ value: Value) {
    guard state.conduits.count > known else { return }
    var index = 0
    forEachConduit {
      if index >= known { offer(value, to: $0) }
      index += 1
    }
  }

  override var conduitName: String { "PublishedSubject" }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
    attach(
      _ConduitOf(self, subscriber) { object, count in
        // memory 7
        let conduit = unsafe unsafeDowncast(object, to: Conduit.self)
        if count < 0 { return conduit.hub.cancel(conduit) }
        conduit.ask(count)
        unsafe unsafeDowncast(conduit.hub, to: PublishedSubject.self).catchUp(conduit)
      }
    )
  }

  private func offer(_ value: Value, to conduit: Conduit) {
    conduit.isBehind = true
    guard conduit.takeDemand() else { return }
    conduit.isBehind = false
    conduit.giveBack(conduit.offer(conduit, value))
  }

  private func catchUp(_ conduit: Conduit) {
    guard owner.enterOrLeaveNote() else { return }
    if conduit.isBehind {
      state.delivering += 1
      offer(current, to: conduit)
      state.delivering -= 1
    }
    leave()
  }

  override func catchUp() {
    forEachConduit { if $0.isBehind { offer(current, to: $0) } }
  }
}

/// Sets a published property, which holds it and cancels it in the end.
final class PublishedSetter<Value>: Subscriber, Cancellable {
  typealias Input = Value
  typealias Failure = Never

  private enum State {
    case waiting
    case subscribed(any Subscription)
    case over
  }

  private let lock = Lock()
  private var state = State.waiting
  private weak var subject: PublishedSubject<Value>?

  init(_ subject: PublishedSubject<Value>) { self.subject = subject }

  func receive(subscription: any Subscription) {
    let isFirst = lock.withLock {
      guard case .waiting = state else { return false }
      state = .subscribed(subscription)
      return true
    }
    if isFirst { subscription.request(.unlimited) } else { subscription.cancel() }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    subject?.send(input)
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    let old = end()
    subject?.remove(self)
    withExtendedLifetime(old) {}
  }

  func cancel() {
    if case .subscribed(let subscription) = end() { subscription.cancel() }
  }

  private func end() -> State {
    lock.withLock {
      defer { state = .over }
      return state
    }
  }
}
