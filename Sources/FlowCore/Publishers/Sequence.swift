public import Synchronization

extension Publishers {
  /// Publishes the elements of a sequence, each when asked for, then finishes.
  ///
  ///     [1, 2, 3].publisher  1-2-3|
  ///
  /// The end comes with the last element, and without demand if there are no elements.
  ///
  /// Operators that it has itself, such as `map(_:)`, call their closures when they are applied,
  /// not for each subscriber.
  @frozen
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    public typealias Output = Elements.Element

    /// What is published, from its beginning for each subscriber.
    public let sequence: Elements
    /// How many elements there are, where that is known without looking at each.
    public let _atMost: Int

    /// Makes a publisher of `sequence`.
    @inlinable @inline(__always)
    public init(sequence: Elements) {
      self.sequence = sequence
      _atMost = .max
    }

    /// Sends a subscription, which begins with the first element; without elements, the end at
    /// once.
    ///
    /// The first element is taken from the sequence now, and each further one just before the one
    /// that precedes it is sent.
    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      var elements = sequence.makeIterator()
      guard let first = elements.next() else {
        subscriber.receive(subscription: Subscriptions.empty)
        return subscriber.receive(completion: .finished)
      }
      let inner = _SequenceSubscription(sequence, first, elements, subscriber)
      subscriber.receive(subscription: inner)
    }
  }
}

extension Publishers.Sequence where Elements: RandomAccessCollection {
  /// Makes a publisher of a collection.
  @inlinable @inline(__always)
  public init(sequence: Elements) {
    self.sequence = sequence
    // A range may hold more than `Int.max` elements; its `count` would trap.
    _atMost = sequence.withContiguousStorageIfAvailable { $0.count } ?? .max
  }
}

extension Publishers.Sequence: Equatable where Elements: Equatable {
  /// Whether the sequences are equal.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.sequence == rhs.sequence }
}

extension Publishers.Sequence: Sendable where Elements: Sendable {}

extension Publishers.Sequence {
  /// Always: the elements are there.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// A cursor of the elements.
  @inlinable @inline(__always)
  public var _cursor: _SequenceCursor<Elements.Iterator>? {
    _SequenceCursor(sequence.makeIterator())
  }

  /// Hands over the elements, in order.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    var elements = sequence.makeIterator()
    var next = elements.next()
    while let element = next {
      next = elements.next()
      if unsafe !withUnsafePointer(to: element, take) { return .stopped }
    }
    return .finished
  }
}

extension Swift.Sequence {
  /// A publisher of the elements, each when asked for.
  @inlinable @inline(__always)
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension RandomAccessCollection {
  /// A publisher of the elements, each when asked for.
  @inlinable @inline(__always)
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

/// Sends the elements of a sequence as they are asked for, then an end.
@usableFromInline
class _SequenceSubscription<Elements: Sequence, S: Subscriber>: _ControlSubscription
where S.Input == Elements.Element {
  /// For the description only.
  @usableFromInline final let sequence: Elements
  @usableFromInline final let completion: Subscribers.Completion<S.Failure>

  // These belong to whoever has the right to deliver (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline final var state: State

  @usableFromInline final let demand = DemandCounter()
  @usableFromInline final let isOver = Atomic<Bool>(false)

  @usableFromInline
  struct State {
    @usableFromInline var elements: Elements.Iterator
    /// The element to send next: with the last one sent, the end is known and sent too.
    @usableFromInline var next: S.Input?
    @usableFromInline var downstream: S?

    @inlinable @inline(__always)
    init(_ next: S.Input, _ elements: Elements.Iterator, _ downstream: S) {
      self.next = next
      self.elements = elements
      self.downstream = downstream
    }
  }

  @inlinable @inline(__always)
  init(
    _ sequence: Elements,
    _ first: S.Input,
    _ others: Elements.Iterator,
    _ downstream: S,
    _ completion: Subscribers.Completion<S.Failure> = .finished
  ) {
    self.sequence = sequence
    self.completion = completion
    state = State(first, others, downstream)
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _SequenceSubscription<Elements, S>.self)
      if count < 0 { return me.end() }
      if count > 0, me.demand.add(count) { me.deliver() }
    }
  }

  @usableFromInline
  override var _takesNone: Bool { true }

  @usableFromInline
  override var description: String {
    isOver.load(ordering: .relaxed) ? "Sequence" : String(describing: sequence)
  }

  @usableFromInline
  override var _children: [Mirror.Child] {
    [("sequence", isOver.load(ordering: .relaxed) ? [S.Input]() : sequence)]
  }

  @inlinable
  final func end() {
    isOver.store(true, ordering: .releasing)
    if demand.add(.max) { state.downstream = nil }
  }

  /// Sends what is asked for; the downstream stays in place until this lets go of it.
  @inlinable
  final func deliver() {
    if case .none = state.downstream { return }
    var allowed = demand.current
    while allowed > 0 {
      if allowed == .max { return deliverAll() }
      // What is asked for with a value is used up here, before anybody else could see it.
      var left = allowed
      while left > 0 {
        guard !isOver.load(ordering: .relaxed), let element = state.next else { return finish() }
        state.next = state.elements.next()
        let more = withBorrowed(&state.downstream) { $0.receive(element) }
        if case .none = state.next { return finish() }
        if more == .max { return deliverAll() }
        left = addDemand(left &- 1, more)
      }
      allowed = demand.subtract(allowed)
    }
  }

  @inlinable
  final func deliverAll() {
    var elements = state.elements
    var next = state.next.take()
    withBorrowed(&state.downstream) { downstream in
      while !isOver.load(ordering: .relaxed), let element = next {
        next = elements.next()
        _ = downstream.receive(element)
      }
    }
    finish()
  }

  /// Ends for good: the right to deliver is never given back.
  @inlinable
  final func finish() {
    _ = demand.add(.max)
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) {
      withBorrowed(&state.downstream) { $0.receive(completion: completion) }
    }
    state.downstream = nil
  }
}
