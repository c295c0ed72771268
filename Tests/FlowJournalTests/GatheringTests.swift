import Testing

@testable import FlowJournal

@Suite("Gathering")
struct GatheringTests {
  private static let value = JournalRecord.value(
    subject: 1,
    sequence: 1,
    [UInt8](repeating: 1, count: 40)
  )

  private static func gathering() -> Gathering {
    var limits = JournalLimits()
    limits.segmentSize = 64 << 10
    limits.batchBytes = 4096
    var gathering = Gathering(next: 7, limits)
    gathering.setRoom(1 << 20)
    return gathering
  }

  private static func take(_ step: Gathering.Step) -> Batch? {
    if case .write(let batch) = step { batch } else { nil }
  }

  private static func time(_ step: Gathering.Step) -> UInt64? {
    if case .wait(let until) = step { until } else { nil }
  }

  @Test("starts the first batch at once, and the next when as many bytes are there")
  func expectsAsMany() {
    var gathering = Self.gathering()
    for _ in 0..<4 { #expect(gathering.append([Self.value]) == .success(7)) }
    #expect(Self.take(gathering.next(at: 1000, reserving: false))?.number == 7)
    // While the batch is in flight, one record comes.
    #expect(gathering.append([Self.value]) == .success(8))
    #expect(!gathering.isWorthWaking)
    gathering.stored(at: 801_000, buffer: [])
    let deadline = Self.time(gathering.next(at: 801_000, reserving: false))
    // (7 × 100 µs + 800 µs) / 8 is the mean, and 1/8 of it the wait.
    #expect(deadline == 801_000 + 187_500 / 8)
    for _ in 0..<3 { #expect(gathering.append([Self.value]) == .success(8)) }
    #expect(!gathering.isWorthWaking)
    #expect(gathering.append([Self.value]) == .success(8))
    #expect(gathering.isWorthWaking)
    #expect(Self.take(gathering.next(at: 801_001, reserving: false))?.number == 8)
  }

  @Test("waits no longer than 1/8 of the mean sync time")
  func waitsShortly() throws {
    var gathering = Self.gathering()
    _ = gathering.append([Self.value, Self.value])
    _ = gathering.next(at: 0, reserving: false)
    gathering.stored(at: 100_000, buffer: [])
    _ = gathering.append([Self.value])
    let deadline = try #require(Self.time(gathering.next(at: 100_000, reserving: false)))
    #expect(deadline <= 100_000 + 100_000 / 8)
    #expect(Self.take(gathering.next(at: deadline, reserving: false)) != nil)
  }

  @Test("a batch that was not gathered does not change the wait")
  func claimed() {
    var gathering = Self.gathering()
    #expect(gathering.claim() == 7)
    gathering.stored(at: 1 << 60, buffer: [])
    _ = gathering.append([Self.value])
    #expect(gathering.isWorthWaking)
    #expect(Self.take(gathering.next(at: 1 << 60, reserving: false))?.number == 8)
  }

  @Test("reserves the next number for a part of a checkpoint")
  func reserves() {
    var gathering = Self.gathering()
    _ = gathering.append([Self.value])
    #expect(Self.take(gathering.next(at: 0, reserving: true))?.number == 7)
    #expect(gathering.append([Self.value]) == .success(9))
    #expect(gathering.claim() == nil)
  }

  @Test("refuses values without room, large ones, and everything once stopped")
  func refuses() {
    var gathering = Self.gathering()
    let large = JournalRecord.value(subject: 1, sequence: 1, [UInt8](repeating: 0, count: 70_000))
    #expect(gathering.append([large]) == .failure(.tooLarge))
    while case .success = gathering.append([Self.value]) {}
    #expect(gathering.append([Self.value]) == .failure(.busy))
    #expect(gathering.append([.trim(subject: 1, first: 1)]) == .success(7))
    _ = gathering.next(at: 0, reserving: false)
    gathering.setRoom(0)
    #expect(gathering.append([Self.value]) == .failure(.full))
    #expect(gathering.append([.trim(subject: 1, first: 1)]) == .success(8))
    let error = JournalError(.failed, "x")
    gathering.stop(error)
    #expect(gathering.append([.trim(subject: 1, first: 1)]) == .failure(.stopped(error)))
    #expect(gathering.room == 0)
  }

  @Test("writes what was appended before it is closed")
  func closes() {
    var gathering = Self.gathering()
    _ = gathering.append([Self.value])
    gathering.stop(JournalError(.closed, ""))
    #expect(Self.take(gathering.next(at: 0, reserving: false))?.number == 7)
    guard case .stop = gathering.next(at: 0, reserving: false) else {
      return #expect(Bool(false))
    }
    #expect(gathering.claim() == 8)
  }
}
