/// A subscription that lets values past it when it would only hand them on.
///
/// For a host that has values in a form that stages do not know, and need not: it hands them to the
/// subscriber itself, and the subscription accounts for them as if they had come and gone through it.
/// To be used where the signals of the subscription come.
package protocol Passable: AnyObject {
  /// Whether a value that came now would be handed on at once.
  var isOpen: Bool { get }

  /// Lets `count` values past, while it is open: more than are asked of it only if the subscriber
  /// asks again for each as soon as it is given it.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - handOn: hands them to the subscriber, and returns how many more that wants.
  /// - Returns: what taking them would have returned in all.
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand
}

extension _BufferSubscription: Passable {
  @usableFromInline var isOpen: Bool {
    delivery.demand > 0 && state.hasStarted && !hasEnded && !state.isEnding
      && !delivery.isUnderWay && state.values.isEmpty
  }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    owner.enter()
    deliver(count, handOn)
    var taken = count
    if !state.values.isEmpty || state.isEnding { taken &+= settle() }
    leave()
    return isKeptFull ? .max(taken) : .none
  }
}

/// For a `flatMap` that makes of each value a publisher of just that value.
extension _FlatMapSubscription: Passable {
  @usableFromInline var isOpen: Bool {
    delivery.demand > 0 && !hasEnded && !state.hasFailed && !delivery.isUnderWay
      && state.waiting.isEmpty
  }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    owner.enter()
    deliver(count, handOn)
    if state.hasFailed || state.isUpstreamDone || !state.waiting.isEmpty { settle() }
    leave()
    return limit == .max ? .none : .max(count)
  }
}

extension _OwnedSubscription {
  /// Delivers `count` values for which there is demand by `handOn`, already inside.
  fileprivate func deliver(_ count: Int, _ handOn: () -> Subscribers.Demand) {
    delivery.isUnderWay = true
    if delivery.demand != .max { delivery.demand &-= count }
    delivery.demand = addDemand(delivery.demand, handOn()._count)  // which may have grown meanwhile
    delivery.isUnderWay = false
  }
}
