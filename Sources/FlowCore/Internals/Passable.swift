/// A subscription that lets values past it when it would only hand them on.
///
/// For a host that has values in a form that stages do not know, and need not: it hands them to the
/// subscriber itself, and the subscription accounts for them as if they had come and gone through it.
/// To be used where the signals of the subscription come.
package protocol Passable: AnyObject {
  /// How many values would be handed on at once, if they came now.
  var room: Int { get }

  /// Lets `count` values past, for which there is room: more than are asked of it only if the
  /// subscriber asks again for each as soon as it is given it.
  ///
  /// - Parameters:
  ///   - count: how many.
  ///   - handOn: hands them to the subscriber, and returns how many more that wants.
  /// - Returns: what taking them would have returned in all.
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand
}

extension _BufferSubscription: Passable {
  @usableFromInline var room: Int {
    let isOpen =
      delivery.demand > 0 && state.hasStarted && !hasEnded && !state.isEnding
      && !delivery.isUnderWay && state.values.isEmpty
    return isOpen ? .max : 0
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
  @usableFromInline var room: Int {
    let isOpen =
      delivery.demand > 0 && !hasEnded && !state.hasFailed && !delivery.isUnderWay
      && state.waiting.isEmpty
    return isOpen ? .max : 0
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

extension Publishers.Output.Inner: Passable {
  @usableFromInline var room: Int {
    index < range.lowerBound || uses.isClosed ? 0 : range.upperBound - index
  }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    guard uses.begin() else { return .none }
    defer { endUse() }
    index += count
    let isLast = index == range.upperBound
    let more = handOn()
    if isLast { finish(.finished) }
    return more
  }
}

extension Publishers.Drop.Inner: Passable {
  @usableFromInline var room: Int { left > 0 || uses.isClosed ? 0 : .max }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand { handOn() }
}

extension Publishers.ReplaceError.Inner: Passable {
  @usableFromInline var room: Int { uses.isClosed ? 0 : asked.current }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    _ = asked.subtract(count)
    let more = handOn()
    if more > 0 { _ = asked.add(more._count) }
    return more
  }
}

/// For what comes from the publisher that it has subscribed to last.
extension Resubscriber: Passable {
  @usableFromInline var room: Int {
    state.isStarted && hasUpstream && !hasEnded ? delivery.demand : 0
  }

  @usableFromInline
  func letPast(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    owner.enter()
    if delivery.demand != .max { delivery.demand &-= count }
    let round = state.round
    let more = askAnew(deliver { _ in handOn()._count }, after: round)
    leave()
    return Subscribers.Demand(_count: more)
  }
}
