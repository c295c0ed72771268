/// The work of one running pipeline, which is charged to the time slice of its host's loop.
///
/// What costs little is not counted. A pipeline that has once cost much lets its values wait at its
/// stages as long as the turn has lasted long enough, so that whoever else is served by the loop has
/// his turn before.
///
/// Used where the clock runs, as all of a running pipeline is.
@safe  // memory 3
public final class Work {
  private let timeSlice: TimeSlice
  /// What is charged with the values that wait.
  public weak var memoryBudget: MemoryBudget?
  @safe @exclusivity(unchecked) private var isHeavy = false  // memory 6

  /// The name of the subject whose value is being handed on, where a closure asks for it.
  @safe @exclusivity(unchecked) private(set) var nameOfSource: Value?  // memory 6

  /// Hands on values that have this name.
  @inline(__always)
  func naming<R>(_ name: Value?, _ handOn: () -> R) -> R {
    let outer = nameOfSource
    nameOfSource = name
    defer { nameOfSource = outer }
    return handOn()
  }

  /// From so many steps for one value on they are counted: about 50 µs.
  private static let light = 1_000

  /// What is known of the payload that comes in: a constant of the time slice.
  private let knownMembers: Unmanaged<KnownMembers>

  /// Whether values may wait at its stages.
  private let mayWait: Bool

  /// Makes the work of one pipeline.
  ///
  /// - Parameters:
  ///   - timeSlice: what is charged.
  ///   - mayWait: whether values may wait at its stages when the turn has lasted long enough; where not,
  ///     whoever sends it values has to see to that.
  public init(_ timeSlice: TimeSlice, mayWait: Bool = true) {
    self.timeSlice = timeSlice
    self.mayWait = mayWait
    unsafe knownMembers = .passUnretained(timeSlice.knownMembers)
  }

  /// The nanoseconds since the beginning of 1970, as its host has them.
  var timeOfDay: Int64 { timeSlice.timeOfDay }

  /// A payload comes in, where there may have been another before.
  public func payloadComes() { withKnownMembers { $0.forget() } }

  /// Gives what is known of the payload that comes in.
  @inline(__always)
  func withKnownMembers<R>(_ body: (KnownMembers) -> R) -> R {
    unsafe knownMembers._withUnsafeGuaranteedRef(body)
  }

  /// Charges the steps that were taken for one value.
  @inline(__always)
  func charge(_ steps: Int) { if steps > Self.light { add(steps) } }

  /// The pipeline has taken values of so many bytes, from outside.
  public func delivered(_ bytes: Int) {
    if timeSlice.delivered(1 &+ bytes >> 8) { isHeavy = true }
  }

  private func add(_ steps: Int) {
    isHeavy = true
    timeSlice.charge(steps)
  }

  /// Whether a value that comes now has to wait for a later turn.
  var hasToWait: Bool {
    @inline(__always) get { timeSlice.isOver && mayWait && (isHeavy || timeSlice.isLong) }
  }

  /// Does `work` in a later turn.
  func wait(_ work: @escaping () -> Void) {
    if isHeavy { timeSlice.waitBehind(work) } else { timeSlice.wait(work) }
  }
}
