/// What is to happen at what time; of what is due at one time, what was added first comes first.
struct Agenda {
  private struct Entry {
    var time: UInt64
    var number: UInt64
    var act: () -> Void

    func isBefore(_ other: Entry) -> Bool {
      time == other.time ? number < other.number : time < other.time
    }
  }

  private var heap: [Entry] = []
  private var count: UInt64 = 0

  var next: UInt64? { heap.first?.time }

  mutating func add(at time: UInt64, _ act: @escaping () -> Void) {
    count += 1
    heap.append(Entry(time: time, number: count, act: act))
    var place = heap.count - 1
    while place > 0, heap[place].isBefore(heap[(place - 1) / 2]) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func takeFirst() -> (() -> Void)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first.act }
    heap[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
      if least == place { return first.act }
      heap.swapAt(place, least)
      place = least
    }
  }

  mutating func removeAll() { heap.removeAll() }
}
