/// Work that comes up again and again, each time no earlier than the time before: values that wait.
///
/// A scheduler that keeps a line has one action of it at a time and here the moments of the others,
/// so that a value that waits costs a few bytes and no timer.
public class _ActionLine: _ControlSubscription {
  struct Moment {
    var due: Int64
    /// Where it stands among what is due at the same moment.
    var order: UInt64
  }

  /// What comes after the moment that the scheduler has.
  private struct Moments {
    var waiting = Fifo<Moment>()
    var isScheduled = false
    /// Whether nothing is to come any more.
    var isOver = false
    var last = Int64.min
  }

  /// Where its scheduler keeps the moment that it has; with the scheduler's lock (memory 5).
  @safe @exclusivity(unchecked) final var place = 0

  private let work: (_ActionLine) -> Void
  // Taken by schedulers, with locks of their own held; nobody is called under it.
  private let momentsLock = Lock()
  @safe @exclusivity(unchecked) private var moments = Moments()  // memory 5

  /// Makes a line of which `work` is done once for each moment.
  @usableFromInline
  init(
    work: @escaping (_ActionLine) -> Void,
    control: @escaping (_ControlSubscription, Int) -> Void
  ) {
    self.work = work
    super.init(control)
  }

  /// A moment has come.
  final func isDue() { work(self) }

  /// Adds a moment; returns it if the scheduler is to have it now.
  final func append(_ moment: Moment) -> Moment? {
    momentsLock.withLock {
      guard !moments.isOver else { return nil }
      moments.last = max(moments.last, moment.due)
      let moment = Moment(due: moments.last, order: moment.order)
      guard moments.isScheduled else {
        moments.isScheduled = true
        return moment
      }
      moments.waiting.append(moment)
      return nil
    }
  }

  /// The moment that the scheduler is to have next, when the one that it had has come.
  final func next() -> Moment? {
    momentsLock.withLock {
      let moment = moments.waiting.popFirst()
      moments.isScheduled = moment != nil
      return moment
    }
  }

  /// How many moments come after the one that the scheduler has.
  final var waitingCount: Int { momentsLock.withLock { moments.waiting.count } }

  /// Forgets all moments, those to come as well; says whether the scheduler has one of them.
  @discardableResult
  final func forgetMoments() -> Bool {
    momentsLock.withLock {
      moments.waiting = Fifo()
      moments.isOver = true
      defer { moments.isScheduled = false }
      return moments.isScheduled
    }
  }
}
