internal import FlowCore

/// How long pipelines may go on in one turn of their host's loop.
///
/// A source that has its values at hand could send them for hours when what is behind it leaves
/// them all out. It takes a step for each value instead; when the turn has lasted long enough, it
/// waits for a later one, so that whoever else is served by the loop has his turn before. What the
/// stages do with a value is charged where it is much, and makes the turn long enough as well.
///
/// Those that wait go on first come, first served, in three lines: input that may end what goes on,
/// what sends values, and what costs much. One of each is served in each turn, so that nobody waits
/// behind another line.
///
/// Used where the clock runs, as all of a running pipeline is.
public final class TimeSlice {
  /// What sources may spend in a turn, in nanoseconds.
  public var limit: UInt64

  /// How many steps of stages make a turn long enough; none do if this is 0.
  public var mostSteps: Int

  /// What is known of the payload that goes through pipelines of the loop.
  let knownMembers = KnownMembers()

  private let spent: () -> UInt64
  private let askForTurn: () -> Void

  private var steps = 0
  /// The step at which the time is looked at next.
  private var nextLook = 1
  private var start: UInt64 = 0
  /// Whether the turn has lasted long enough.
  @safe @exclusivity(unchecked) public private(set) var isOver = false  // memory 6
  /// The steps that stages have taken in this turn.
  @safe @exclusivity(unchecked) private var charged = 0
  /// Grows with each charge and each wait.
  @safe @exclusivity(unchecked) @usableFromInline private(set) var burden = 0
  private let inputs = Line()
  private let sources = Line()
  private let costly = Line()
  /// What is made of many parts and goes on to end, in later turns.
  private var endings = Fifo<() -> Bool>()
  /// How many more parts may end in this turn whether or not it is over.
  private var endsLeft = TimeSlice.leastInTurn
  private var hasAsked = false

  private let time: (() -> UInt64)?

  /// The time by the clock that is quickly read; 0 without one.
  public var now: UInt64 { time?() ?? 0 }

  private let calendar: (() -> Int64)?

  /// The nanoseconds since the beginning of 1970, in UTC; 0 without a calendar.
  public var timeOfDay: Int64 { calendar?() ?? 0 }

  @safe @exclusivity(unchecked) private var deliveries = Deliveries()  // memory 6

  /// What waits for a later turn.
  private final class Line {
    var works = Fifo<() -> Void>()
  }

  /// The most steps, or deliveries, between two looks at the time.
  private static let stride = 64

  /// Makes a time slice.
  ///
  /// - Parameters:
  ///   - limit: what sources may spend in a turn, in nanoseconds.
  ///   - mostSteps: how many steps of stages make a turn long enough; 0 if none do.
  ///   - spent: a clock, in nanoseconds; best one that counts the thread's processor time.
  ///   - time: a clock that is quickly read, for `delivered`; without one no delivery is too long.
  ///   - calendar: the nanoseconds since the beginning of 1970, for closures that ask for the time.
  ///   - askForTurn: asks the host to call `resume()` in a later turn.
  public init(
    limit: UInt64,
    mostSteps: Int = 0,
    spent: @escaping () -> UInt64,
    time: (() -> UInt64)? = nil,
    calendar: (() -> Int64)? = nil,
    askForTurn: @escaping () -> Void
  ) {
    self.time = time
    self.calendar = calendar
    self.limit = limit
    self.mostSteps = mostSteps
    self.spent = spent
    self.askForTurn = askForTurn
  }

  /// What tells later whether much was done since.
  @inlinable @inline(__always)
  public var mark: Int { burden }

  /// Whether much was charged, or anything waits, since there was this mark.
  @inlinable @inline(__always)
  public func isMarked(since mark: Int) -> Bool { burden != mark }

  /// Begins a turn: the time counts from its first step.
  public func beginTurn() {
    steps = 0
    nextLook = 1
    charged = 0
    isOver = false
    endsLeft = Self.leastInTurn
    deliveries.first = nil
  }

  /// A pipeline has taken something that was so much to take: whether that took long.
  ///
  /// Not all that costs much has a price: the time tells of the rest. It is looked at more and more
  /// seldom, as long as deliveries are short.
  @inline(__always)
  func delivered(_ weight: Int) -> Bool {
    deliveries.left &-= weight
    return deliveries.left > 0 ? false : lookAtDelivery()
  }

  private func lookAtDelivery() -> Bool {
    guard let now = time?() else {
      deliveries.left = .max
      return false
    }
    guard let (took, isLong) = deliveries.look(at: now, longest: limit / 8) else { return false }
    if took > limit { endTurn() }
    if took > 4 &* limit { charged = max(charged, 4 &* mostSteps) }
    return isLong
  }

  /// When the clock is read between deliveries.
  private struct Deliveries {
    /// The deliveries until the clock is read.
    var left = 1
    /// The deliveries between the last two readings.
    private var stride = 1
    /// The first reading of the turn, and the last reading.
    var first: UInt64?
    private var last: UInt64 = 0

    /// Returns the time since the first reading of the turn, and whether a single delivery took
    /// more than `longest`; nil for the first reading.
    mutating func look(at now: UInt64, longest: UInt64) -> (took: UInt64, isLong: Bool)? {
      defer {
        last = now
        left = stride
      }
      guard let first else {
        self.first = now
        return nil
      }
      let wasOne = stride == 1
      let isLong = now &- last > longest
      if isLong { stride = 1 } else if stride < TimeSlice.stride { stride *= 2 }
      return (now &- first, wasOne && isLong)
    }
  }

  /// Lets those that wait go on, and one at least of each line.
  public func resume() {
    hasAsked = false
    _ = lookAtDelivery()
    serve(inputs)
    // Sources take no step in a turn that is over.
    if isOver { beginTurn() }
    serve(sources)
    serve(costly)
    requestTurn()
  }

  private func serve(_ line: Line) {
    repeat {
      guard let work = line.works.popFirst() else { return }
      work()
      _ = lookAtDelivery()
    } while !isOver
  }

  /// Takes a step; false when the turn is over.
  ///
  /// The first step of a turn may always be taken.
  public func step() -> Bool {
    if isOver { return false }
    steps += 1
    if steps >= nextLook { look() }
    return !isOver
  }

  /// Does `work` in a later turn, after what waits already.
  public func wait(_ work: @escaping () -> Void) { wait(work, in: sources) }

  /// As `wait`, for the input of a client, or an answer that its next line waits for.
  public func waitToRead(_ work: @escaping () -> Void) { wait(work, in: inputs) }

  /// As `wait`, for what costs much.
  public func waitBehind(_ work: @escaping () -> Void) { wait(work, in: costly) }

  /// Calls `next` until it returns false: in this turn as long as that may last, then in later ones.
  ///
  /// So ends what is made of many parts, which takes as long as making it did. What begins to end
  /// while something else goes on to end follows that, so that nothing is told of two ends in the
  /// wrong order. The first few parts of a turn end even if it is over.
  package func inTurns(_ next: @escaping () -> Bool) {
    while endings.isEmpty, mayEnd() { guard next() else { return } }
    endings.append(next)
    // One that is called by another, which goes on, is served with that.
    if endings.count == 1 { waitBehind { [self] in serveEndings() } }
  }

  private func mayEnd() -> Bool {
    guard endsLeft > 0 else { return step() }
    endsLeft -= 1
    return true
  }

  /// Calls in this turn what goes on to end, until nothing is left, because the host ends.
  package func finishEndings() {
    while let next = endings.first {
      if !next() { _ = endings.popFirst() }
    }
  }

  private func serveEndings() {
    // Where sources use up each turn, this goes on all the same.
    var least = Self.leastInTurn
    while let next = endings.first, least > 0 || step() {
      least -= 1
      if !next() { _ = endings.popFirst() }
    }
    if !endings.isEmpty { waitBehind { [self] in serveEndings() } }
  }

  /// A fraction of a millisecond, or some milliseconds where each part takes the longest.
  private static let leastInTurn = 256

  private func wait(_ work: @escaping () -> Void, in line: Line) {
    line.works.append(work)
    burden &+= 1
    requestTurn()
  }

  private func requestTurn() {
    let isEmpty = inputs.works.isEmpty && sources.works.isEmpty && costly.works.isEmpty
    guard !isEmpty, !hasAsked else { return }
    hasAsked = true
    askForTurn()
  }

  /// Takes the steps that a stage has taken for a value.
  public func charge(_ steps: Int) {
    guard mostSteps > 0 else { return }
    charged &+= steps
    burden &+= 1
    if charged >= mostSteps { isOver = true }
  }

  /// Says that the turn has lasted long enough.
  public func endTurn() {
    isOver = true
    burden &+= 1
  }

  /// Whether the stages have taken so many steps in this turn that nobody's values go on.
  var isLong: Bool { mostSteps > 0 && charged >= 4 * mostSteps }

  /// Looks more and more seldom, as long as the steps are short.
  private func look() {
    let now = spent()
    if steps == 1 { start = now }
    isOver = now - start > limit
    nextLook = steps + min(steps, Self.stride)
  }
}
