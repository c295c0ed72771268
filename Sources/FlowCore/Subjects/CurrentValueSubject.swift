/// Keeps the newest value, and sends it to a new subscriber first.
///
///     CurrentValueSubject(0), send     --1--2--3--|
///     demand 1, then 1 more after 2    0------2---|
///
/// A subscriber that had no demand when values came gets the newest of them at its next request.
public final class CurrentValueSubject<Output, Failure: Error>: _SubjectBase<Output, Failure>,
  Subject
{
  // Changed inside the owner word and under this lock: who is inside reads it as it is.
  @usableFromInline let valueLock = Lock()
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var current: Output

  /// Makes a subject whose value is `value`.
  public init(_ value: Output) {
    current = value
    super.init()
    demandUpstreams()
  }

  /// The newest value; setting it sends it to the subscribers, or after the end only stores it.
  public var value: Output {
    get { valueLock.withLock { current } }
    set {
      owner.enter()
      if state.isCompleted { _ = replaceCurrent(newValue) } else { deliver(newValue) }
      leave()
    }
  }

  /// Makes `input` the newest value, and sends it to all who have demand; after the end it does
  /// nothing.
  ///
  /// Who has no demand is sent the value at the next request, if it is still the newest. May be
  /// called from any thread; sends wait for one another.
  @inlinable
  public func send(_ input: Output) {
    owner.enter()
    if !state.isCompleted { deliver(input) }
    leave()
  }

  @inlinable @inline(__always)
  func deliver(_ input: Output) {
    let old = replaceCurrent(input)
    forEachConduit { offer(input, to: $0) }
    withExtendedLifetime(old) {}  // its deinit may send a newer value
  }

  @usableFromInline
  override var conduitName: String { "CurrentValueSubject" }

  /// Ends publishing; a subscriber needs no demand for that, and one that comes later is sent the
  /// end.
  public func send(completion: Subscribers.Completion<Failure>) { end(completion) }

  /// Takes the subscription of an upstream, and requests everything.
  public func send(subscription: any Subscription) { add(upstream: subscription) }

  /// Attaches `subscriber`, which is sent the newest value at its first request.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    attach(
      _ConduitOf(self, subscriber) { object, count in
        // memory 7
        let conduit = unsafe unsafeDowncast(object, to: Conduit.self)
        if count < 0 { return conduit.hub.cancel(conduit) }
        conduit.ask(count)
        unsafe unsafeDowncast(conduit.hub, to: CurrentValueSubject.self).catchUp(conduit)
      }
    )
  }

  /// Stores `input` and returns the value that it replaces.
  @inlinable
  func replaceCurrent(_ input: Output) -> Output {
    var old = input
    valueLock.withLock { swap(&old, &current) }
    return old
  }

  @inlinable @inline(__always)
  func offer(_ value: Output, to conduit: Conduit) {
    conduit.isBehind = true
    guard conduit.takeDemand() else { return }
    conduit.isBehind = false
    conduit.giveBack(conduit.offer(conduit, value))
  }

  /// Sends one conduit the newest value, if it has asked for it.
  @inlinable
  func catchUp(_ conduit: Conduit) {
    guard owner.enterOrLeaveNote() else { return }
    if conduit.isBehind {
      state.delivering += 1
      offer(current, to: conduit)
      state.delivering -= 1
    }
    leave()
  }

  @usableFromInline
  override func catchUp() {
    forEachConduit { if $0.isBehind { offer(current, to: $0) } }
  }
}

// The owner word and the locks guard all state.
extension CurrentValueSubject: @unchecked Sendable where Output: Sendable {}
