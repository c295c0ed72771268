/// How long the sources of pipelines may go on in one turn of their host's loop.
///
/// A source that has its values at hand could send them for hours when what is behind it leaves
/// them all out. It takes a step for each value instead; when the turn has lasted long enough, it
/// waits for a later one, so that whoever else is served by the loop has his turn before.
///
/// Used where the clock runs, as all of a running pipeline is.
public final class Pace {
  /// What sources may spend in a turn, in nanoseconds.
  public var limit: UInt64

  private let spent: () -> UInt64
  private let askForTurn: () -> Void

  private var steps = 0
  /// The step at which the time is looked at next.
  private var nextLook = 1
  private var start: UInt64 = 0
  private var isOver = false
  private var waiting: [() -> Void] = []
  private var head = 0
  private var hasAsked = false

  /// The most steps between two looks at the time.
  private static let stride = 64

  /// Makes a pace.
  ///
  /// - Parameters:
  ///   - limit: what sources may spend in a turn, in nanoseconds.
  ///   - spent: a clock, in nanoseconds; best one that counts the thread's processor time.
  ///   - askForTurn: asks the host to call `goOn()` in a later turn.
  public init(
    limit: UInt64,
    spent: @escaping () -> UInt64,
    askForTurn: @escaping () -> Void
  ) {
    self.limit = limit
    self.spent = spent
    self.askForTurn = askForTurn
  }

  /// Begins a turn: the time counts from its first step.
  public func beginTurn() {
    steps = 0
    nextLook = 1
    isOver = false
  }

  /// Lets those that wait go on, first come, first served.
  public func goOn() {
    hasAsked = false
    while !isOver, head < waiting.count {
      let work = waiting[head]
      head += 1
      work()
    }
    waiting.removeFirst(head)
    head = 0
    ask()
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
  public func wait(_ work: @escaping () -> Void) {
    waiting.append(work)
    ask()
  }

  private func ask() {
    guard head < waiting.count, !hasAsked else { return }
    hasAsked = true
    askForTurn()
  }

  /// Looks more and more seldom, as long as the steps are short.
  private func look() {
    let now = spent()
    if steps == 1 { start = now }
    isOver = now - start > limit
    nextLook = steps + min(steps, Self.stride)
  }
}
