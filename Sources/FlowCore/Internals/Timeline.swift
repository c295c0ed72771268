/// Actions in the order in which they are due: a binary heap, one entry per action or line of them.
///
/// It calls nobody and has no lock; moments are nanoseconds.
struct Timeline {
  private struct Entry {
    var due: Int64
    /// Breaks ties in order of scheduling.
    var order: UInt64
    var work: Work

    func isBefore(_ other: Entry) -> Bool {
      due != other.due ? due < other.due : order < other.order
    }
  }

  private enum Work {
    case once(() -> Void)
    case repetition(UInt64)
    case line(_ActionLine)
  }

  private struct Repetition {
    var action: () -> Void
    var interval: Int64
  }

  /// An action that is due.
  struct Due {
    let moment: Int64
    let action: () -> Void
    /// For a repeating action: how many of its times were left out, which count if it goes on.
    var skipped: (id: UInt64, count: Int64)?
  }

  private var heap: [Entry] = []
  private var repetitions: [UInt64: Repetition] = [:]
  private var lastOrder: UInt64 = 0
  /// How many entries of the heap belong to repetitions that have been removed.
  private var removedCount = 0

  /// How many actions are to come; a repeating one counts once, and so does a line.
  var count: Int { heap.count - removedCount }

  /// When the first action is due.
  var next: Int64? { heap.first?.due }

  mutating func insert(_ action: @escaping () -> Void, at due: Int64) {
    push(.once(action), at: due)
  }

  /// Returns what to pass to `removeRepetition(_:)`.
  mutating func insert(
    _ action: @escaping () -> Void,
    at due: Int64,
    every interval: Int64
  ) -> UInt64 {
    let id = lastOrder + 1
    repetitions[id] = Repetition(action: action, interval: interval)
    push(.repetition(id), at: due)
    return id
  }

  /// Has `line` come at `due`, as an action would that is inserted now.
  mutating func append(_ line: _ActionLine, at due: Int64) {
    lastOrder += 1
    guard let moment = line.append(.init(due: due, order: lastOrder)) else { return }
    push(Entry(due: moment.due, order: moment.order, work: .line(line)))
  }

  /// Takes out a repeating action, which is returned to be released.
  mutating func removeRepetition(_ id: UInt64) -> (() -> Void)? {
    guard let repetition = repetitions.removeValue(forKey: id) else { return nil }
    removedCount += 1
    discardRemoved()
    return repetition.action
  }

  /// Takes out the first action if it is due by `end`; a repeating one is put in again.
  ///
  /// With `isLate`, the next time of a repeating one is after `end`, and those before are left out.
  mutating func pop(until end: Int64, isLate: Bool = false) -> Due? {
    guard let due = next, due <= end else { return nil }
    switch removeFirst() {
    case .once(let action):
      discardRemoved()
      return Due(moment: due, action: action)
    case .repetition(let id):
      guard let repetition = repetitions[id] else {
        preconditionFailure("the first entry of the timeline has been removed")
      }
      let interval = repetition.interval
      let (late, isBeyond) = end.subtractingReportingOverflow(due)
      let skipped = isLate && !isBeyond ? late / interval : 0
      let (sum, overflow) = (due + skipped * interval).addingReportingOverflow(interval)
      push(.repetition(id), at: overflow ? .max : sum)
      discardRemoved()
      return Due(moment: due, action: repetition.action, skipped: (id, skipped))
    case .line(let line):
      if let next = line.next() {
        push(Entry(due: next.due, order: next.order, work: .line(line)))
      }
      discardRemoved()
      return Due(moment: due, action: line.isDue)
    }
  }

  /// Whether a repeating action has not been removed.
  func isRepeating(_ id: UInt64) -> Bool { repetitions[id] != nil }

  /// Keeps the first entry one that lives, and the dead ones fewer than the living.
  private mutating func discardRemoved() {
    guard removedCount > 0 else { return }
    if removedCount * 2 > heap.count {
      heap = heap.filter { !isRemoved($0) }
      removedCount = 0
      for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }
    while let first = heap.first, isRemoved(first) {
      _ = removeFirst()
      removedCount -= 1
    }
  }

  private func isRemoved(_ entry: Entry) -> Bool {
    guard case .repetition(let id) = entry.work else { return false }
    return repetitions[id] == nil
  }
}

extension Timeline {
  private mutating func push(_ work: Work, at due: Int64) {
    lastOrder += 1
    push(Entry(due: due, order: lastOrder, work: work))
  }

  private mutating func push(_ entry: Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func removeFirst() -> Work {
    heap.swapAt(0, heap.count - 1)
    let entry = heap.removeLast()
    sink(0)
    return entry.work
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
