import Foundation
import Synchronization
import Testing

@testable import FlowJournal

@Suite("Power cuts")
struct PowerCutTests {
  /// FLOW_JOURNAL_CUTS and FLOW_JOURNAL_SEED try more, or others.
  static var cuts: Int { number("FLOW_JOURNAL_CUTS") ?? 2000 }

  static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test("#2 each power cut leaves a prefix, every batch whole or absent, and no gap")
  func cuts() {
    let first = Self.number("FLOW_JOURNAL_SEED") ?? 1
    var done = 0
    var seed = first
    var coverage = PowerCutCoverage()
    while done < Self.cuts {
      var story = PowerCutStory(seed: UInt64(seed))
      let problem = story.run(cuts: 20)
      if let problem {
        Issue.record("seed \(seed), cut \(story.cuts): \(problem)")
        return
      }
      done += story.cuts
      coverage.add(story.coverage)
      seed += 1
    }
    // A test that reaches none of these tries nothing.
    #expect(coverage.torn > 0)
    #expect(coverage.recycled > 0)
    #expect(coverage.copied > 0)
    #expect(coverage.recoveriesCut > 0)
    print("power cuts: \(done), \(coverage)")
  }
}

struct PowerCutCoverage {
  var torn = 0
  var recycled = 0
  var copied = 0
  var recoveriesCut = 0
  var acknowledged = 0

  mutating func add(_ other: Self) {
    torn += other.torn
    recycled += other.recycled
    copied += other.copied
    recoveriesCut += other.recoveriesCut
    acknowledged += other.acknowledged
  }
}

/// Publishers, readers and power cuts from one seed.
struct PowerCutStory {
  private var dice: JournalDice
  private let disk: MemoryDisk
  private let rig: JournalRig
  private var model = JournalModel()
  private var nextID: UInt32 = 1
  private(set) var cuts = 0
  private(set) var coverage = PowerCutCoverage()
  private var acknowledged: UInt64 = 0
  private var highestSegment: UInt64 = 0

  init(seed: UInt64) {
    dice = JournalDice(seed: seed)
    disk = MemoryDisk(seed: seed)
    rig = JournalRig(disk, seed: seed)
  }

  /// Returns what is wrong after a cut.
  mutating func run(cuts count: Int) -> String? {
    if let problem = restart() { return problem }
    while cuts < count {
      disk.cutPower(afterCalls: dice.pick(1...120))
      work()
      cuts += 1
      if let problem = restart() { return problem }
    }
    return nil
  }

  private mutating func work() {
    let interrupts = dice.chance(50)
    let busy = Mutex(false)
    let rig = rig
    disk.onCall { call in
      // The commit thread goes on while housekeeping is in the middle of something.
      guard interrupts, busy.withLock({ $0 }) else { return }
      busy.withLock { $0 = false }
      rig.commit()
      busy.withLock { $0 = true }
    }
    defer { disk.onCall(nil) }
    while !disk.isOff {
      switch dice.pick(0...9) {
      case 0...4: append()
      case 5...7: rig.commit()
      case 8:
        busy.withLock { $0 = true }
        rig.keepHouse()
        busy.withLock { $0 = false }
      default: rig.passTime(UInt64(dice.pick(0...60_000_000)))
      }
    }
  }

  private mutating func append() {
    var records: [JournalRecord] = []
    var next = model.newest
    for _ in 0..<dice.pick(1...4) {
      for record in change(next) {
        records.append(record)
        next.apply(record)
      }
    }
    if case .success(let batch) = rig.append(records) { model.append(records, in: batch) }
  }

  private mutating func change(_ contents: JournalModel.Contents) -> [JournalRecord] {
    let subjects = contents.subjects.keys.sorted()
    guard subjects.count >= 2, dice.chance(98) || subjects.count > 6 else {
      nextID += 1
      let keeps = UInt32(dice.chance(25) ? dice.pick(1...3) : 0)
      return [.define(id: nextID, first: 1, next: 1, kept: keeps, line: Array("SUBJECT".utf8))]
    }
    let id = dice.pick(subjects)
    guard let subject = contents.subjects[id] else { return [] }
    switch dice.pick(0...99) {
    case 0...79:
      let size = dice.chance(5) ? dice.pick(0...1200) : dice.pick(0...100)
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: dice.number()), count: size)
      return [.value(subject: id, sequence: subject.next, bytes)]
    case 80...92:
      // Subjects lag by different numbers of values, so that some segments are nearly empty.
      let lag = UInt64(id % 3 == 0 ? 60 : dice.pick(0...8))
      guard subject.keeps == 0, subject.next > subject.first + lag else { return [] }
      return [.trim(subject: id, first: subject.next - lag)]
    case 93...94:
      nextID += 1
      return [.consumer(id: nextID, subject: id, sequence: 0, name: [1])]
    case 95...96:
      guard let consumer = contents.positions.keys.max() else { return [] }
      return [.position(consumer: consumer, sequence: dice.number() >> 8)]
    case 97...98: return [.runPosition(run: 1, subject: id, sequence: subject.next)]
    default:
      return subjects.count > 3 ? [.delete(id: id)] : []
    }
  }

  /// Starts again until nothing cuts it; returns what is wrong.
  private mutating func restart() -> String? {
    if disk.isOff { disk.restart() }
    if let problem = judge() { return problem }
    while true {
      if dice.chance(40) { disk.cutPower(afterCalls: dice.pick(1...60)) }
      do {
        try rig.open()
      } catch {
        guard disk.isOff else { return "cannot be opened: \(error)" }
      }
      if !disk.isOff { break }
      coverage.recoveriesCut += 1
      disk.restart()
    }
    disk.keepPower()
    return verify()
  }

  /// Reads what the power cut has left, before recovery changes anything.
  private mutating func judge() -> String? {
    acknowledged = max(acknowledged, JournalRig.stored(rig.takeEvents()))
    coverage.acknowledged = Int(acknowledged)
    let report: RecoveryReport
    do {
      guard let found = try rig.inspect() else { return nil }
      report = found
    } catch {
      return "cannot be read: \(error)"
    }
    if report.torn != nil { coverage.torn += 1 }
    if report.lastBatch < acknowledged {
      return "ends with batch \(report.lastBatch), but \(acknowledged) was stored"
    }
    model.end(with: report.lastBatch)
    return nil
  }

  private mutating func verify() -> String? {
    let report = rig.report
    if report.lost > 0 || !report.notes.isEmpty || !report.uncounted.isEmpty {
      return "\(report)"
    }
    let segments = rig.segments
    coverage.copied += segments.filter(\.header.isCold).count
    if segments.first?.number ?? 1 > 3 { coverage.recycled += 1 }
    let files = disk.fileNames.filter { $0.hasSuffix(".seg") }.count
    if files != segments.count { return "\(files) files for \(segments.count) segments" }
    return model.difference(rig)
  }
}
