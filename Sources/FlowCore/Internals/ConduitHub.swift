public import Synchronization

/// What subjects of all types have in common: who subscribes, and who delivers.
///
/// One owner word is held while delivering; a send from another thread waits for it, and one from
/// inside a delivery goes ahead. Requests, cancellations and subscriptions never wait.
///
/// The owner word guards its state, so that subjects are `Sendable` where their values are.
public class _ConduitHub {
  @usableFromInline final let owner = OwnerLock()

  // These belong to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var state = State()

  private let lock = Lock()
  private var arrivals: [_Conduit] = []
  private var upstreams: [any Subscription] = []
  @usableFromInline let areUpstreamsDemanded = Atomic<Bool>(false)

  @usableFromInline
  struct State {
    @usableFromInline var conduits = _ConduitList()
    /// How many deliveries are under way, one inside another: until then no conduit is let go.
    @usableFromInline var delivering = 0
    @usableFromInline var hasEnded = false
    /// Whether all has been said, so that late subscribers are only told the end.
    @usableFromInline var isCompleted = false

    @inlinable init() {}
  }

  @usableFromInline
  init() {}

  deinit {
    for upstream in upstreams { upstream.cancel() }
    state.conduits.free()
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  final func leave() {
    if state.hasEnded, state.delivering == 0 { return leaveWithoutEnded() }
    // What is rare stays out of who sends, which is short enough to be inlined where it is called.
    if !owner.exitUnlessFlagged() { leaveFlagged() }
  }

  @usableFromInline
  final func leaveFlagged() {
    while owner.isNoteTaken() { answerNote() }
  }

  @usableFromInline
  final func leaveWithoutEnded() {
    state.hasEnded = false
    let ended = state.conduits.removeEnded()
    owner.exit { answerNote() }
    for conduit in ended { conduit.release() }
  }

  @usableFromInline
  final func answerNote() {
    for conduit in takeArrivals() { adopt(conduit) }
    catchUp()
    state.hasEnded = false
    for conduit in state.conduits.removeEnded() { conduit.release() }
  }

  /// What its conduits are called.
  @usableFromInline
  var conduitName: String { "" }

  /// Sends what conduits lack that have asked for it meanwhile.
  @usableFromInline
  func catchUp() {}

  /// Sends a conduit the end, which has come.
  @usableFromInline
  func finish(_ conduit: _Conduit) {}

  /// Whether a mirror shows all of a conduit, or only its downstream.
  var showsConduitsInFull: Bool { true }
}

extension _ConduitHub {
  /// Subscribes: at once, or through the thread that is delivering.
  @usableFromInline
  final func attach(_ conduit: _Conduit) {
    if owner.enterIfFree() {
      if state.isCompleted {
        conduit.subscribe(toNothing: true)
        finish(conduit)
      } else {
        state.conduits.append(conduit)
        state.delivering += 1
        conduit.subscribe()
        state.delivering -= 1
      }
      return leave()
    }
    conduit.subscribe()
    lock.withLock { arrivals.append(conduit) }
    if owner.enterOrLeaveNote() {
      answerNote()
      leave()
    }
  }

  private func takeArrivals() -> [_Conduit] {
    lock.withLock {
      defer { arrivals = [] }
      return arrivals
    }
  }

  private func adopt(_ conduit: _Conduit) {
    if conduit.isOver {
      conduit.release()
    } else if state.isCompleted, conduit.end() {
      finish(conduit)
      conduit.release()
    } else {
      state.conduits.append(conduit)
    }
  }

  @usableFromInline
  final func cancel(_ conduit: _Conduit) { _ = cancelOnce(conduit) }

  /// Ends a subscription: at once, or through the thread that is delivering; true the first time.
  @usableFromInline
  final func cancelOnce(_ conduit: _Conduit) -> Bool {
    guard conduit.end() else { return false }
    guard owner.enterOrLeaveNote() else { return true }
    if state.delivering > 0 || conduit.slot < 0 {  // let go when delivered, or when adopted
      state.hasEnded = true
      leave()
    } else {
      state.conduits.remove(conduit)
      leave()
      conduit.release()
    }
    return true
  }
}

extension _ConduitHub {
  /// Keeps an upstream, and asks it for everything if that has been asked for.
  final func add(upstream: any Subscription) {
    let isDemanded = lock.withLock {
      upstreams.append(upstream)
      return areUpstreamsDemanded.load(ordering: .relaxed)
    }
    if isDemanded { upstream.request(.unlimited) }
  }

  /// Asks the upstreams for everything, those that come later too.
  @inlinable @inline(__always)
  final func demandUpstreams() {
    if !areUpstreamsDemanded.load(ordering: .relaxed) { demandUpstreamsOnce() }
  }

  @usableFromInline
  final func demandUpstreamsOnce() {
    let upstreams = lock.withLock {
      let isFirst = !areUpstreamsDemanded.exchange(true, ordering: .relaxed)
      return isFirst ? self.upstreams : []
    }
    for upstream in upstreams { upstream.request(.unlimited) }
  }

  /// Lets go of the upstreams, which have nothing more to say.
  final func forgetUpstreams() {
    let upstreams = lock.withLock {
      defer { self.upstreams = [] }
      return self.upstreams
    }
    withExtendedLifetime(upstreams) {}
  }
}
