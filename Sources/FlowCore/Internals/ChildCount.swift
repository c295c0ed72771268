/// How many publishers the `flatMap`s that share it have open.
///
/// A publisher counts until its last value has been taken, as it does for `maxPublishers`. Not for
/// several threads: whoever hands it out sees to it that those `flatMap`s run on one.
open class _ChildCount {
  @exclusivity(unchecked) public final var open = 0

  public init() {}
}

extension Publishers.FlatMap {
  /// The same, with its open publishers counted in `count`.
  public func _counting(in count: _ChildCount) -> Self {
    var counting = self
    counting._count = count
    return counting
  }
}
