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

  @usableFromInline final let lock = Lock()
  // The lock guards these.
  /// What comes after the moment that the scheduler has.
  final private var moments = Fifo<Moment>()
  final private var isScheduled = false
  final private var last = Int64.min

  private let work: (_ActionLine) -> Void

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
    lock.withLock {
      last = max(last, moment.due)
      let moment = Moment(due: last, order: moment.order)
      guard isScheduled else {
        isScheduled = true
        return moment
      }
      moments.append(moment)
      return nil
    }
  }

  /// The moment that the scheduler is to have next, when the one that it had has come.
  final func next() -> Moment? {
    lock.withLock {
      let moment = moments.popFirst()
      isScheduled = moment != nil
      return moment
    }
  }

  /// Forgets what the scheduler does not have yet, with the lock held.
  @usableFromInline
  final func forgetMoments() { moments = Fifo() }
}
