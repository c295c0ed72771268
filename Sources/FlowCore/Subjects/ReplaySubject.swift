/// Passes on what is sent to it, and keeps the last values for those who come later or are slow.
///
///     send                     --1--2--3--4--|
///     bufferSize 2, late                 23-4--|
///     bufferSize 2, demand 1, then 2 more at the end    1 34|
///
/// A new subscriber is first sent the last `bufferSize` values. A subscriber without demand misses
/// a value only when `bufferSize` newer ones have come. The completion follows the values that are
/// kept, so it waits for the demand for these.
public class ReplaySubject<Output, Failure: Error>: _SubjectBase<Output, Failure>, Subject {
  /// How many values are kept.
  public final let bufferSize: Int

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var replay = Replay()

  @usableFromInline
  struct Replay {
    @usableFromInline var kept = Fifo<Output>()
    /// The number of the first value that is kept, and of the next value that comes.
    @usableFromInline var first = 0
    @usableFromInline var next = 0
    @usableFromInline var ending: Subscribers.Completion<Failure>?

    @inlinable init() {}
  }

  /// Makes a subject that keeps up to `bufferSize` values, 0 or more.
  public init(bufferSize: Int) {
    precondition(bufferSize >= 0, "bufferSize is \(bufferSize), expected 0 or more")
    self.bufferSize = bufferSize
    super.init()
  }

  deinit { replay.kept.takeAll().letGo() }

  /// Keeps `value`, and sends it to all who have demand; after the end it does nothing.
  ///
  /// The oldest value is forgotten if `bufferSize` are kept already. May be called from any thread;
  /// sends wait for one another.
  @inlinable
  public final func send(_ value: Output) {
    owner.enter()
    if isOpen {
      replay.kept.append(value)
      replay.next &+= 1
      forEachConduit { catchUp($0) }
    }
    leaveTrimmed()
  }

  @inlinable @inline(__always)
  final var isOpen: Bool {
    if case .none = replay.ending { true } else { false }
  }

  @usableFromInline
  override var conduitName: String { "ReplaySubject" }

  /// Called with each subscriber that cancels.
  @usableFromInline
  func hasCancelled() {}

  /// Ends publishing; each subscriber is sent the end after the values that are kept for it.
  public final func send(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if replay.ending == nil {
      replay.ending = completion
      forgetUpstreams()
      forEachConduit { catchUp($0) }
    }
    leaveTrimmed()
  }

  /// Takes the subscription of an upstream, and requests everything.
  public final func send(subscription: any Subscription) {
    add(upstream: subscription)
    demandUpstreams()
  }

  /// Attaches `subscriber`, which is sent the values that are kept, as far as it has demand.
  @inlinable @inline(__always)
  public final func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    attachPlaced(
      _ConduitOf(self, subscriber) { object, count in
        // memory 7
        let conduit = unsafe unsafeDowncast(object, to: Conduit.self)
        let subject = unsafe unsafeDowncast(conduit.hub, to: ReplaySubject.self)
        if count < 0 { return subject.cancelConduit(conduit) }
        conduit.ask(count)
        subject.catchUpIfFree(conduit)
      }
    )
  }

  @inlinable
  final func attachPlaced(_ conduit: Conduit) {
    let isInside = owner.enterIfFree()
    if isInside { place(conduit) }
    attach(conduit)
    if isInside { leave() }
    catchUpIfFree(conduit)  // with an end that has come
  }

  @inlinable
  final func cancelConduit(_ conduit: Conduit) {
    if cancelOnce(conduit) { hasCancelled() }
  }

  @usableFromInline
  override func catchUp() {
    forEachConduit { catchUp($0) }
    trim()
  }

  @inlinable
  final func catchUpIfFree(_ conduit: Conduit) {
    guard owner.enterOrLeaveNote() else { return }
    if conduit.slot >= 0 {  // otherwise it is caught up with when it is adopted
      state.delivering += 1
      catchUp(conduit)
      state.delivering -= 1
    }
    leaveTrimmed()
  }

  /// Sends a conduit what is kept for it, as far as it has demand, and then the end.
  ///
  /// A conduit that is being sent something finds what comes meanwhile when it is done with that.
  @inlinable @inline(__always)
  final func catchUp(_ conduit: Conduit) {
    if conduit.state.mark < 0 { place(conduit) }
    guard !conduit.isBusy else { return }
    conduit.isBusy = true
    while true {
      let position = Swift.max(conduit.position, replay.first)
      guard position < replay.next, conduit.takeDemand() else { break }
      conduit.position = position &+ 1
      conduit.giveBack(conduit.offer(conduit, replay.kept[position &- replay.first]))
    }
    conduit.isBusy = false
    if !isOpen { finishIfCaughtUp(conduit) }
  }

  @inlinable
  final func finishIfCaughtUp(_ conduit: Conduit) {
    guard let ending = replay.ending,
      Swift.max(conduit.position, replay.first) == replay.next, conduit.end()
    else { return }
    state.hasEnded = true
    conduit.finish(ending)
  }

  /// Begins with the values that are kept.
  @inlinable
  final func place(_ conduit: Conduit) {
    conduit.position = Swift.max(replay.first, replay.next - bufferSize)
  }

  @inlinable @inline(__always)
  final func leaveTrimmed() {
    trim()
    leave()
  }

  /// Forgets what is too old; not while values are sent, so that none is missed for another.
  @inlinable @inline(__always)
  final func trim() {
    guard state.delivering == 0 else { return }
    while replay.kept.count > bufferSize {
      let old = replay.kept.popFirst()
      replay.first &+= 1
      withExtendedLifetime(old) {}  // its deinit may send a value
    }
  }
}

// The owner word guards all state.
extension ReplaySubject: @unchecked Sendable where Output: Sendable {}

extension _Conduit {
  /// The number of the next value to send it.
  @inlinable @inline(__always)
  final var position: Int {
    get { state.mark >> 1 }
    set { state.mark = newValue << 1 | (isBusy ? 1 : 0) }
  }

  /// Whether it is being sent something.
  @inlinable @inline(__always)
  final var isBusy: Bool {
    get { state.mark >= 0 && state.mark & 1 == 1 }
    set { state.mark = newValue ? state.mark | 1 : state.mark & ~1 }
  }
}
