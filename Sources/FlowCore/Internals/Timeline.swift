/// Actions in the order in which they are due: a binary heap, one entry per action or line of them.
///
/// It calls nobody and has no lock; moments are nanoseconds.
struct Timeline {
  /// What the heap is made of: no references, which would be counted at each step.
  private struct Entry {
    var due: Int64
    /// Breaks ties in order of scheduling.
    var order: UInt64
    /// Where its work is.
    var place: Int

    func isBefore(_ other: Entry) -> Bool {
      due != other.due ? due < other.due : order < other.order
    }
  }

  private enum Work {
    case once(() -> Void)
    case repetition(Repetition)
    case line(_ActionLine)
    /// A line was here, whose entry is still in the heap.
    case removed
    /// Nobody's place; another one is free as well.
    case none(next: Int?)
  }

  /// A repeating action; it belongs to its timeline, which alone looks into it.
  final class Repetition {
    fileprivate let interval: Int64
    /// Until it is removed.
    fileprivate(set) var action: (() -> Void)?
    /// Where its entry goes when it comes to be the first.
    fileprivate var postponed: (due: Int64, order: UInt64)?

    fileprivate init(_ action: @escaping () -> Void, _ interval: Int64) {
      self.action = action
      self.interval = interval
    }
  }

  /// What is to be done now.
  enum Action {
    case closure(() -> Void)
    case line(_ActionLine)

    func run() {
      switch self {
      case .closure(let closure): closure()
      case .line(let line): line.isDue()
      }
    }
  }

  /// An action that is due.
  struct Due {
    let moment: Int64
    let action: Action
    /// For a repeating action: how many of its times were left out, which count if it goes on.
    var skipped: (of: Repetition, count: Int64)?
  }

  private var heap: [Entry] = []
  private var works: [Work] = []
  private var freePlace: Int?
  private var lastOrder: UInt64 = 0
  /// How many entries of the heap belong to what has been removed.
  private var removedCount = 0

  /// How many actions are to come; a repeating one counts once, and so does a line.
  var count: Int { heap.count - removedCount }

  /// When the first action is due.
  var next: Int64? { heap.first?.due }

  mutating func insert(_ action: @escaping () -> Void, at due: Int64) {
    push(.once(action), at: due)
  }

  mutating func insert(
    _ action: @escaping () -> Void,
    at due: Int64,
    every interval: Int64
  ) -> Repetition {
    let repetition = Repetition(action, interval)
    push(.repetition(repetition), at: due)
    return repetition
  }

  /// Has a repeating action come next at `due`, as one would that is inserted now; false if it has
  /// been removed.
  ///
  /// It is to come no earlier than it would: its entry stays where it is until it is the first, so
  /// that to put off costs next to nothing.
  mutating func postpone(_ repetition: Repetition, to due: Int64) -> Bool {
    guard repetition.action != nil else { return false }
    lastOrder += 1
    repetition.postponed = (due, lastOrder)
    settleFirst()
    return true
  }

  /// Has `line` come at `due`, as an action would that is inserted now.
  mutating func append(_ line: _ActionLine, at due: Int64) {
    lastOrder += 1
    guard let moment = line.append(.init(due: due, order: lastOrder)) else { return }
    line.place = place(for: .line(line))
    push(Entry(due: moment.due, order: moment.order, place: line.place))
  }

  /// Takes out a line, which comes no more; the caller holds it.
  mutating func remove(_ line: _ActionLine) {
    guard line.forgetMoments() else { return }
    works[line.place] = .removed
    removedCount += 1
    discardRemoved()
  }

  /// Takes out a repeating action, which is returned to be released.
  mutating func remove(_ repetition: Repetition) -> (() -> Void)? {
    guard let action = repetition.action.take() else { return nil }
    removedCount += 1
    discardRemoved()
    return action
  }

  /// Takes out the first action if it is due by `end`; a repeating one is put in again.
  ///
  /// With `isLate`, the next time of a repeating one is after `end`, and those before are left out.
  mutating func pop(until end: Int64, isLate: Bool = false) -> Due? {
    guard let first = heap.first, first.due <= end else { return nil }
    defer { settleFirst() }
    switch works[first.place] {
    case .once(let action):
      removeFirst()
      return Due(moment: first.due, action: .closure(action))
    case .repetition(let repetition):
      guard let action = repetition.action else { break }
      let interval = repetition.interval
      let (late, isBeyond) = end.subtractingReportingOverflow(first.due)
      let skipped = isLate && !isBeyond ? late / interval : 0
      let (sum, overflow) = (first.due + skipped * interval).addingReportingOverflow(interval)
      lastOrder += 1
      moveFirst(to: overflow ? .max : sum, lastOrder)
      return Due(moment: first.due, action: .closure(action), skipped: (repetition, skipped))
    case .line(let line):
      if let next = line.next() { moveFirst(to: next.due, next.order) } else { removeFirst() }
      return Due(moment: first.due, action: .line(line))
    case .removed, .none: break
    }
    preconditionFailure("the first entry of the timeline has been removed")
  }
}

// What was removed, or put off.
extension Timeline {
  private func isRemoved(_ entry: Entry) -> Bool {
    switch works[entry.place] {
    case .repetition(let repetition): repetition.action == nil
    case .removed: true
    case .once, .line, .none: false
    }
  }

  /// Keeps the removed entries fewer than the others.
  private mutating func discardRemoved() {
    if removedCount * 2 > heap.count {
      for entry in heap where isRemoved(entry) { free(entry.place) }
      heap.removeAll { if case .none = works[$0.place] { true } else { false } }
      removedCount = 0
      discardPlaces()
      for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }
    settleFirst()
  }

  /// Keeps the first entry one that has not been removed, and stands at its time.
  private mutating func settleFirst() {
    while let first = heap.first {
      switch works[first.place] {
      case .repetition(let repetition):
        if repetition.action == nil {
          removeFirst()
          removedCount -= 1
        } else if let (due, order) = repetition.postponed.take() {
          moveFirst(to: due, order)
        } else {
          return
        }
      case .removed:
        removeFirst()
        removedCount -= 1
      case .once, .line, .none: return
      }
    }
  }
}

// The heap, and the work at the places that it names.
extension Timeline {
  private mutating func place(for work: Work) -> Int {
    guard let place = freePlace, case .none(let next) = works[place] else {
      works.append(work)
      return works.count - 1
    }
    freePlace = next
    works[place] = work
    return place
  }

  private mutating func free(_ place: Int) {
    works[place] = .none(next: freePlace)
    freePlace = place
  }

  private mutating func push(_ work: Work, at due: Int64) {
    lastOrder += 1
    push(Entry(due: due, order: lastOrder, place: place(for: work)))
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() {
    free(heap[0].place)
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    sink(0)
    discardPlaces()
  }

  /// Keeps the memory of many who have gone from staying with the few who have not.
  private mutating func discardPlaces() {
    guard heap.isEmpty || works.count > Swift.max(64, 4 * heap.count) else { return }
    if works.count <= 64 {
      works.removeAll(keepingCapacity: true)
    } else {
      var entries: [Entry] = []
      var kept: [Work] = []
      entries.reserveCapacity(heap.count)
      kept.reserveCapacity(heap.count)
      for var entry in heap {
        let work = works[entry.place]
        if case .line(let line) = work { line.place = kept.count }
        entry.place = kept.count
        entries.append(entry)
        kept.append(work)
      }
      (heap, works) = (entries, kept)
    }
    freePlace = nil
  }

  private mutating func moveFirst(to due: Int64, _ order: UInt64) {
    heap[0].due = due
    heap[0].order = order
    sink(0)
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      let left = 2 * index + 1
      let right = left + 1
      if left < heap.count, heap[left].isBefore(heap[least]) { least = left }
      if right < heap.count, heap[right].isBefore(heap[least]) { least = right }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
