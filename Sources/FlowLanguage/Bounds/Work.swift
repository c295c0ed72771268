/// The work of one running pipeline, which is charged to the pace of its host's loop.
///
/// What costs little is not counted. A pipeline that has once cost much lets its values wait at its
/// stages as long as the turn has lasted long enough, so that whoever else is served by the loop has
/// his turn before.
///
/// Used where the clock runs, as all of a running pipeline is.
public final class Work {
  private let pace: Pace
  /// What is charged with the values that wait.
  public weak var holdings: Holdings?
  @safe @exclusivity(unchecked) private var isHeavy = false  // memory 6

  /// From so many steps for one value on they are counted: about 50 µs.
  private static let light = 1_000

  /// Makes the work of one pipeline.
  public init(_ pace: Pace) { self.pace = pace }

  /// Charges the steps that were taken for one value.
  @inline(__always)
  func charge(_ steps: Int) { if steps > Self.light { add(steps) } }

  /// The pipeline has taken values of so many bytes, from outside.
  public func delivered(_ octets: Int) {
    if pace.delivered(1 &+ octets >> 8) { isHeavy = true }
  }

  private func add(_ steps: Int) {
    isHeavy = true
    pace.charge(steps)
  }

  /// Whether a value that comes now has to wait for a later turn.
  var hasToWait: Bool {
    @inline(__always) get { pace.isOver && (isHeavy || pace.isLong) }
  }

  /// Does `work` in a later turn.
  func wait(_ work: @escaping () -> Void) {
    if isHeavy { pace.waitBehind(work) } else { pace.wait(work) }
  }
}
