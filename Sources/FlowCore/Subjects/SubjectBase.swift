/// What subjects have in common: who subscribes, who delivers, and how it ends.
///
/// One owner word is held while delivering; a send from another thread waits for it, and one from
/// inside a delivery goes ahead. Requests, cancellations and subscriptions never wait.
///
/// The owner word guards its state; values cross threads as those who send them mean.
public class _SubjectBase<Output, Failure: Error>: @unchecked Sendable {
  @usableFromInline typealias Conduit = _Conduit<Output, Failure>

  @usableFromInline final let owner = OwnerLock()

  // These belong to whoever is inside the owner word.
  @exclusivity(unchecked) @usableFromInline final var conduits = _ConduitList<Output, Failure>()
  /// How many deliveries are under way, one inside another: until then no conduit is let go.
  @exclusivity(unchecked) @usableFromInline final var delivering = 0
  @exclusivity(unchecked) @usableFromInline final var hasEnded = false
  @exclusivity(unchecked) @usableFromInline final var completion: Subscribers.Completion<Failure>?

  private let lock = Lock()
  private var arrivals: [Conduit] = []
  private var upstreams: [any Subscription] = []
  private var areUpstreamsDemanded = false

  @usableFromInline
  init() {}

  deinit {
    for upstream in upstreams { upstream.cancel() }
    conduits.free()
  }

  /// Sends something to each conduit that is there now, in order of subscription.
  @inlinable @inline(__always)
  final func forEachConduit(_ send: (Conduit) -> Void) {
    delivering &+= 1
    let count = conduits.count
    var index = 0
    while index < count {
      conduits.base[index]?._withUnsafeGuaranteedRef(send)
      index &+= 1
    }
    delivering &-= 1
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  final func leave() {
    if hasEnded, delivering == 0 { return leaveWithoutEnded() }
    owner.exit { answerNote() }
  }

  @usableFromInline
  final func leaveWithoutEnded() {
    hasEnded = false
    let ended = conduits.removeEnded()
    owner.exit { answerNote() }
    for conduit in ended { conduit.tell(conduit, .release) }
  }

  @usableFromInline
  final func answerNote() {
    for conduit in takeArrivals() { adopt(conduit) }
    catchUp()
    hasEnded = false
    for conduit in conduits.removeEnded() { conduit.tell(conduit, .release) }
  }

  /// Sends what conduits lack that have asked for it meanwhile.
  @usableFromInline
  func catchUp() {}
}

extension _SubjectBase {
  /// Subscribes: at once, or through the thread that is delivering.
  @usableFromInline
  final func attach(_ conduit: Conduit) {
    if owner.enterIfFree() {
      if let completion {
        conduit.tell(conduit, .subscription(Subscriptions.empty))
        conduit.tell(conduit, .completion(completion))
      } else {
        conduits.append(conduit)
        delivering += 1
        conduit.tell(conduit, .subscription(conduit))
        delivering -= 1
      }
      return leave()
    }
    conduit.tell(conduit, .subscription(conduit))
    lock.withLock { arrivals.append(conduit) }
    if owner.enterOrLeaveNote() {
      answerNote()
      leave()
    }
  }

  private func takeArrivals() -> [Conduit] {
    lock.withLock {
      defer { arrivals = [] }
      return arrivals
    }
  }

  private func adopt(_ conduit: Conduit) {
    if conduit.isOver {
      conduit.tell(conduit, .release)
    } else if let completion, conduit.end() {
      conduit.tell(conduit, .completion(completion))
      conduit.tell(conduit, .release)
    } else {
      conduits.append(conduit)
    }
  }

  /// Ends a subscription: at once, or through the thread that is delivering.
  @usableFromInline
  final func cancel(_ conduit: Conduit) {
    guard conduit.end(), owner.enterOrLeaveNote() else { return }
    if delivering > 0 || conduit.slot < 0 {  // let go when delivered, or when adopted
      hasEnded = true
      return leave()
    }
    conduits.remove(conduit)
    leave()
    conduit.tell(conduit, .release)
  }

  /// Ends all subscriptions, once.
  @usableFromInline
  final func end(_ completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if self.completion == nil {
      self.completion = completion
      hasEnded = true
      forEachConduit { if $0.end() { $0.tell($0, .completion(completion)) } }
    }
    leave()
  }
}

extension _SubjectBase {
  /// Keeps an upstream, and asks it for everything if that has been asked for.
  final func add(upstream: any Subscription) {
    let isDemanded = lock.withLock {
      upstreams.append(upstream)
      return areUpstreamsDemanded
    }
    if isDemanded { upstream.request(.unlimited) }
  }

  /// Asks the upstreams for everything, those that come later too.
  @usableFromInline
  final func demandUpstreams() {
    let upstreams = lock.withLock {
      defer { areUpstreamsDemanded = true }
      return areUpstreamsDemanded ? [] : self.upstreams
    }
    for upstream in upstreams { upstream.request(.unlimited) }
  }
}
