import FlowRemote
import Testing

@Suite("how far ahead values are asked for")
struct DemandWindowTests {
  private static let millisecond: UInt64 = 1_000_000

  /// A subscriber and a link in a time of their own: what is asked for comes a round trip later, no
  /// faster than the link, and is taken no faster than the subscriber takes it.
  private struct Link {
    var window: DemandWindow
    let roundTrip: UInt64
    /// Values a millisecond.
    let most: Int
    let valueBytes: Int
    private(set) var now: UInt64 = 0
    private(set) var taken = 0
    private var outstanding = 0
    private var requests: [(due: UInt64, count: Int)] = []
    private var ready = 0

    init(least: Int, milliseconds: UInt64, most: Int, valueBytes: Int = 100) {
      window = DemandWindow(least: least)
      roundTrip = milliseconds * DemandWindowTests.millisecond
      self.most = most
      self.valueBytes = valueBytes
    }

    /// Lets so many milliseconds pass; the subscriber takes up to `most` values in each.
    mutating func run(_ milliseconds: Int, taking most: Int = .max) {
      for _ in 0..<milliseconds {
        now += DemandWindowTests.millisecond
        while let first = requests.first, first.due <= now {
          ready += first.count
          requests.removeFirst()
        }
        let count = min(ready, self.most, most)
        ready -= count
        outstanding -= count
        taken += count
        window.take(count, bytes: count * valueBytes)
        window.adapt(at: now, roundTrip: roundTrip)
        let room = max(1, window.size) - outstanding
        if room > window.size / 4 || outstanding == 0 {
          outstanding += room
          requests.append((now + roundTrip, room))
        }
      }
    }
  }

  @Test("a distant link is filled", arguments: [0, 16_384], [2, 20, 200] as [UInt64])
  func far(_ least: Int, _ roundTrip: UInt64) {
    var link = Link(least: least, milliseconds: roundTrip, most: 200)
    link.run(30 * Int(roundTrip) + 100)
    let before = link.taken
    link.run(1000)
    #expect(link.taken - before >= 180_000)
    let product = 200 * Int(roundTrip)
    #expect(link.window.size <= max(least, 3 * product))
  }

  @Test("near by it is the least")
  func near() {
    var link = Link(least: 16_384, milliseconds: 1, most: 1000)
    link.run(5000)
    #expect(link.window.size == 16_384)
  }

  @Test("a slow subscriber is asked for little, however far away")
  func slow() {
    var link = Link(least: 0, milliseconds: 200, most: 200)
    link.run(8000)
    #expect(link.window.size >= 40_000)
    link.run(120_000, taking: 1)
    #expect(link.window.size <= 1000)
    var idle = Link(least: 0, milliseconds: 20, most: 1)
    for _ in 0..<100 {
      idle.run(99, taking: 0)
      idle.run(1, taking: 1)
    }
    #expect(idle.window.size <= 1)
  }

  @Test("large values are bounded by their bytes, and all by their number")
  func bounds() {
    var link = Link(least: 0, milliseconds: 200, most: 10_000, valueBytes: 16_384)
    link.run(10_000)
    #expect(link.window.size == DemandWindow.mostBytes / 16_384)
    var small = Link(least: 0, milliseconds: 200, most: 100_000, valueBytes: 1)
    small.run(20_000)
    #expect(small.window.size == DemandWindow.most)
  }

  @Test("without a round trip nothing is known, and nothing grows")
  func unknown() {
    var window = DemandWindow(least: 5)
    for time in 1...100 as ClosedRange<UInt64> {
      window.take(1000, bytes: 1000)
      window.adapt(at: time * Self.millisecond, roundTrip: nil)
    }
    #expect(window.size == 5)
  }

  @Test("clocks of several threads may come in another order")
  func order() {
    var window = DemandWindow(least: 5)
    window.adapt(at: 2000, roundTrip: 1000)
    window.take(1, bytes: 1)
    window.adapt(at: 1000, roundTrip: 1000)
    #expect(window.size == 5)
  }

  @Test("when a publisher pauses it shrinks by a quarter")
  func pause() {
    var link = Link(least: 0, milliseconds: 20, most: 100)
    link.run(2000)
    let full = link.window.size
    var window = link.window
    window.take(1, bytes: 100)
    window.adapt(at: link.now + 10_000 * Self.millisecond, roundTrip: 20 * Self.millisecond)
    #expect(window.size == full - full / 4)
  }
}
