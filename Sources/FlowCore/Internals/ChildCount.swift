/// How many publishers the `flatMap`s that share it have open.
///
/// A publisher counts until its last value has been taken, as it does for `maxPublishers`. Not for
/// several threads: whoever hands it out sees to it that those `flatMap`s run on one.
open class _ChildCount {
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline final var sum = Sum()

  @usableFromInline
  struct Sum {
    @usableFromInline var open = 0
    @usableFromInline var cost = 0

    @inlinable init() {}
  }

  /// Cancelling as few takes no longer than a value may.
  @inlinable @inline(__always)
  public static var many: Int { 64 }

  /// Makes a count of nothing.
  public init() {}

  // Another room that reads a variable itself checks each access.

  @inlinable
  final func open(_ cost: Int) {
    sum.open &+= 1
    sum.cost &+= cost
  }

  @inlinable
  final func close(_ children: Int, _ cost: Int) {
    sum.open &-= children
    sum.cost &-= children &* cost
  }

  /// How many are open.
  @inlinable @inline(__always)
  public final var openCount: Int { sum.open }

  /// What the open publishers cost together, each as much as its `flatMap` says.
  @inlinable @inline(__always)
  public final var totalCost: Int { sum.cost }

  /// Cancels many publishers that have been closed: `next` cancels one, and returns whether there are
  /// more; it may be called later.
  open func cancel(each next: @escaping () -> Bool) { while next() {} }

  /// A value of a publisher waits for demand; not called for one that goes on at once.
  open func keep(_ value: Any) {}

  /// A value that waited has gone on, or is dropped.
  open func giveBack(_ value: Any) {}
}

extension Publishers.FlatMap {
  /// The same, with its open publishers and the values that wait counted in `count`; each publisher
  /// costs `cost`.
  package func counting(in count: _ChildCount, cost: Int = 0) -> Self {
    var counting = self
    counting._count = count
    counting._cost = cost
    return counting
  }
}
