import Testing

@testable import FlowJournal

/// The tests of a sceptic in which calls fail or power goes, by their numbers.
@Suite("Faults")
struct FaultTests {
  let disk = MemoryDisk(seed: 3)
  let rig: JournalRig

  init() throws {
    rig = JournalRig(disk)
    try rig.open()
    rig.define(1)
    rig.define(2)
  }

  /// Publishes to a fast and a slow subject, and forgets most of the fast one's values.
  private func work(_ rounds: Int) {
    for _ in 0..<rounds {
      rig.publish(1, 12, inBatchesOf: 4)
      rig.publish(2, 1)
      let next = rig.catalog.definitions[1]?.next ?? 1
      if next > 20 { _ = rig.append([.trim(subject: 1, first: next - 10)]) }
      rig.commitAll()
      rig.keepAllHouse()
    }
  }

  @Test("#3 a crash at every call of a recovery, thrice, changes nothing")
  func crashInRecovery() throws {
    work(20)
    rig.publish(1, 3)
    disk.cutPower(afterCalls: 3)
    rig.publish(1, 1)
    disk.restart()
    for call in 1...40 {
      let copy = disk.copy()
      let other = JournalRig(copy, seed: UInt64(call))
      for _ in 0..<3 {
        copy.cutPower(afterCalls: call)
        try? other.open()
        copy.restart()
      }
      try other.open()
      #expect(other.report.lost == 0 && other.report.notes.isEmpty)
      try rig.open()
      #expect(other.catalog.definitions[1]?.next == rig.catalog.definitions[1]?.next)
      #expect(other.summary(1) == rig.summary(1))
      #expect(other.summary(2) == rig.summary(2))
    }
  }

  @Test("#12 a crash at each step of making, activating, copying and recycling loses nothing")
  func crashInHousekeeping() throws {
    for call in stride(from: 1, to: 600, by: 3) {
      let copy = MemoryDisk(seed: UInt64(call))
      let other = JournalRig(copy)
      try other.open()
      other.define(1)
      other.define(2)
      copy.cutPower(afterCalls: call)
      var stored: [UInt32: UInt64] = [:]
      for round in 0..<60 where !copy.isOff {
        other.publish(1, 12, inBatchesOf: 4)
        other.publish(2, 1)
        if !copy.isOff {
          for id in [1, 2] as [UInt32] { stored[id] = other.catalog.definitions[id]?.next }
        }
        if round > 2 {
          _ = other.append([
            .trim(subject: 1, first: (other.catalog.definitions[1]?.next ?? 1) - 10)
          ])
        }
        other.commitAll()
        other.keepAllHouse()
      }
      copy.restart()
      try other.open()
      #expect(other.report.lost == 0 && other.report.notes.isEmpty, "call \(call)")
      for id in [1, 2] as [UInt32] {
        let known = try #require(other.catalog.definitions[id])
        #expect(known.next >= stored[id] ?? 1)
        let expected = known.next > known.first ? "\(known.first)...\(known.next - 1)" : ""
        #expect(other.summary(id, from: known.first) == expected, "call \(call)")
      }
      #expect(other.segmentFiles.count == other.segments.count)
    }
  }

  @Test("#13 a full disk refuses values; trims, positions and deletions go on and make room")
  func fullDisk() throws {
    rig.define(3)
    _ = rig.append([.consumer(id: 4, subject: 1, sequence: 0, name: [])])
    disk.limit(to: disk.size)
    var refusal: Gathering.Refusal?
    var published: UInt64 = 0
    for sequence in 1...5000 as ClosedRange<UInt64> {
      let value = JournalRecord.value(
        subject: 3,
        sequence: sequence,
        JournalRig.bytes(3, sequence)
      )
      if case .failure(let reason) = rig.append([value]) {
        refusal = reason
        break
      }
      published = sequence
      rig.commitAll()
      rig.keepAllHouse()
    }
    #expect(refusal == .full)
    // Control records may go on for as long as they like.
    for position in 1...2000 as ClosedRange<UInt64> {
      let result = rig.append([.position(consumer: 4, sequence: position)])
      guard case .success = result else {
        return #expect(Bool(false), "\(result) at \(position)")
      }
      rig.commitAll()
      rig.keepAllHouse()
    }
    #expect(rig.catalog.consumers[4]?.position == 2000)
    #expect(rig.summary(3) == "1...\(published)")
    // A restart on the full disk works.
    try rig.open()
    #expect(rig.catalog.consumers[4]?.position == 2000)
    #expect(rig.summary(3) == "1...\(published)")
    _ = rig.append([.delete(id: 3)])
    rig.commitAll()
    rig.keepAllHouse()
    rig.passTime(2_000_000_000)
    rig.keepAllHouse()
    #expect(rig.core?.withGathering { $0.room } ?? 0 > 0)
    rig.publish(1, 1)
    #expect(rig.summary(1) == "1...1")
  }

  @Test("#14 after a failed sync nothing is acknowledged and nothing is synced")
  func failedSync() throws {
    rig.publish(1, 5)
    _ = rig.takeEvents()
    disk.startLog()
    disk.fail(.init(call: .sync, prefix: "0"))
    let value = JournalRecord.value(subject: 1, sequence: 6, JournalRig.bytes(1, 6))
    guard case .success(let batch) = rig.append([value]) else { return #expect(Bool(false)) }
    rig.commitAll()
    let calls = disk.log.count
    guard case .failure(.stopped(let error)) = rig.append([value]) else {
      return #expect(Bool(false))
    }
    #expect(error.code == .failed)
    rig.commitAll()
    rig.keepAllHouse()
    #expect(disk.log.count == calls)
    #expect(disk.log.last?.call == .sync)
    #expect(JournalRig.stored(rig.takeEvents()) < batch)
    // Reading goes on.
    #expect(rig.summary(1) == "1...5")
    try rig.open()
    #expect(["1...5", "1...6"].contains(rig.summary(1)))
  }

  @Test("#14 a failed write, and a failed sync of the folder, end it as well", arguments: 0..<3)
  func failedCalls(_ kind: Int) throws {
    let calls: [MemoryDisk.Call] = [.write, .syncNames, .rename]
    disk.fail(.init(call: calls[kind], after: 2))
    for _ in 0..<100 {
      rig.publish(1, 5, inBatchesOf: 5)
      rig.keepAllHouse()
    }
    guard case .failure(.stopped) = rig.append([.trim(subject: 1, first: 1)]) else {
      return #expect(Bool(false), "\(calls[kind])")
    }
    let next = try #require(rig.catalog.definitions[1]?.next)
    disk.heal()
    try rig.open()
    #expect(rig.catalog.definitions[1]?.next ?? 0 >= next)
    #expect(rig.report.lost == 0)
  }

  @Test("#15 a read that fails once is not seen, one that always fails costs one value")
  func failedRead() throws {
    rig.publish(1, 20)
    disk.fail(.init(call: .read, prefix: "0"))
    #expect(rig.summary(1) == "1...20")
    let (file, offset) = try #require(rig.place(1, 9))
    disk.makeUnreadable(file, offset + 24..<offset + 25)
    #expect(rig.summary(1) == "1...8, gap 9...9, 10...20")
    rig.publish(1, 1)
    #expect(rig.catalog.definitions[1]?.lost == [9...9])
    #expect(rig.summary(1) == "1...8, gap 9...9, 10...21")
  }

  @Test("#18 a slow reader costs little writing and little disk", arguments: [1, 10, 30])
  func slowReader(_ percent: Int) throws {
    let disk = MemoryDisk()
    let rig = JournalRig(disk)
    rig.limits.segmentSize = 64 << 10
    rig.limits.batchBytes = 4 << 10
    try rig.open()
    rig.define(1)
    rig.define(2)
    var sent = 0
    var dice = JournalDice(seed: 5)
    while sent < 4 << 20 {
      let isSlow = dice.chance(percent)
      rig.publish(isSlow ? 2 : 1, 40, inBatchesOf: 40)
      sent += 40 * RecordHeader.length(JournalRig.bytes(1, 1000).count)
      let fast = rig.catalog.definitions[1]?.next ?? 1
      let slow = rig.catalog.definitions[2]?.next ?? 1
      // The slow subject keeps a tenth of what was sent.
      var records: [JournalRecord] = []
      if fast > 20 { records.append(.trim(subject: 1, first: fast - 20)) }
      let lag = UInt64(sent / 10 / RecordHeader.length(70))
      if slow > lag { records.append(.trim(subject: 2, first: slow - lag)) }
      _ = rig.append(records)
      rig.commitAll()
      rig.keepAllHouse()
    }
    let live = rig.segments.reduce(0) { $0 + $1.liveBytes }
    let size = rig.segmentFiles.count * rig.limits.segmentSize
    let written = disk.written
    let amplification = Double(written.all) / Double(written.all - written.copies)
    print("slow reader \(percent) %: written \(amplification), live \(live), disk \(size)")
    #expect(amplification <= 1.3)
    #expect(size <= 2 * live + 4 * rig.limits.segmentSize)
  }

  @Test("#19 times never go back, whatever the clock does")
  func clock() throws {
    var steps: [Int64] = [0, 31_536_000_000, -31_536_000_000, -86_400_000, 1000]
    steps += steps
    for step in steps {
      rig.moveCalendar(step)
      rig.publish(1, 5)
      rig.keepAllHouse()
      if step < 0 { try rig.open() }
    }
    var last: UInt64 = 0
    for item in rig.read(1, from: 1) {
      guard case .value(_, let time, _) = item else { return #expect(Bool(false)) }
      #expect(time >= last && time > 0)
      last = time
    }
    #expect(rig.summary(1) == "1...50")
  }
}
