import Dispatch
import Foundation
import Synchronization
import Testing

@testable import FlowJournal

/// The journal with its threads, on real files and on a disk that hangs.
@Suite("Journal", .serialized)
struct DriverTests {
  static let clock = JournalClock(
    nanoseconds: { DispatchTime.now().uptimeNanoseconds },
    milliseconds: { UInt64(Date().timeIntervalSince1970 * 1000) },
    random: { .random(in: .min ... .max) }
  )

  /// Collects the events of a journal and waits for some of them.
  final class Listener: Sendable {
    private struct State: Sendable {
      var stored: UInt64 = 0
      var failure: JournalError?
      var room = 0
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)

    func receive(_ event: JournalEvent) {
      state.withLock { state in
        switch event {
        case .stored(let batch): state.stored = max(state.stored, batch)
        case .failed(let error): state.failure = error
        case .room(let bytes): state.room = bytes
        case .lost, .noted: break
        }
      }
      signal.signal()
    }

    var stored: UInt64 { state.withLock { $0.stored } }

    var failure: JournalError? { state.withLock { $0.failure } }

    /// Waits until a condition holds; after 10 s it records `what` was awaited.
    func wait(for what: String, _ condition: () -> Bool) {
      let deadline = DispatchTime.now() + .seconds(10)
      while !condition() {
        guard signal.wait(timeout: min(deadline, .now() + .milliseconds(10))) == .timedOut
        else { continue }
        if DispatchTime.now() >= deadline {
          Issue.record("waited 10 s for \(what)")
          return
        }
      }
    }
  }

  private static var limits: JournalLimits {
    var limits = JournalLimits()
    limits.segmentSize = 1 << 20
    limits.batchBytes = 64 << 10
    return limits
  }

  private static func folder() throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private static func open(
    _ files: any JournalFiles,
    _ listener: Listener
  ) throws(JournalError) -> Journal {
    try Journal.open(files, clock, limits) { listener.receive($0) }
  }

  private static func close(_ journal: Journal, _ listener: Listener) {
    let isClosed = Mutex(false)
    journal.close { isClosed.withLock { $0 = true } }
    listener.wait(for: "the journal to close") { isClosed.withLock { $0 } }
  }

  private static func read(
    _ journal: Journal,
    _ subject: UInt32,
    _ listener: Listener
  ) -> [JournalItem] {
    let items = Mutex<[JournalItem]?>(nil)
    let request = JournalReadRequest(
      subject: subject,
      from: 1,
      mostValues: 1 << 20,
      mostBytes: 1 << 30
    )
    journal.read(request) { found in items.withLock { $0 = found } }
    listener.wait(for: "a read") { items.withLock { $0 != nil } }
    return items.withLock { $0 ?? [] }
  }

  /// Appends values until `count` are accepted; waits whenever the journal is busy.
  private static func publish(
    _ journal: Journal,
    _ subject: UInt32,
    _ range: ClosedRange<UInt64>,
    _ listener: Listener
  ) -> UInt64 {
    var last: UInt64 = 0
    for sequence in range {
      let bytes = JournalRig.bytes(subject, sequence)
      var isAppended = false
      listener.wait(for: "room for a value") {
        let result = bytes.withUnsafeBytes {
          journal.appendValue(subject: subject, sequence: sequence, $0)
        }
        if case .success(let batch) = result { (last, isAppended) = (batch, true) }
        return isAppended
      }
      if !isAppended { break }
    }
    return last
  }

  @Test("stores values on real files, and finds them after a clean stop")
  func realFiles() throws {
    let path = try Self.folder()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let listener = Listener()
    let journal = try Self.open(PosixFiles(path), listener)
    #expect(throws: JournalError.self) { try Self.open(PosixFiles(path), Listener()) }
    let line = Array("SUBJECT orders".utf8)
    _ = journal.append([.define(id: 1, first: 1, next: 1, kept: 0, line: line)])
    let last = Self.publish(journal, 1, 1...30_000, listener)
    listener.wait(for: "batch \(last)") { listener.stored >= last }
    let values = Self.read(journal, 1, listener)
    #expect(values.count == 30_000)
    Self.close(journal, listener)

    let again = try Self.open(PosixFiles(path), listener)
    #expect(again.report.isClean)
    #expect(again.report.lost == 0)
    #expect(again.catalog.definitions[1]?.line == line)
    #expect(Self.read(again, 1, listener) == values)
    _ = again.append([.trim(subject: 1, first: 30_001)])
    listener.wait(for: "old segments to be recycled") {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return names.filter { $0.hasSuffix(".seg") }.count <= 2
    }
    Self.close(again, listener)
  }

  @Test("#1 a copy of the files while values are stored is a journal with a prefix")
  func copiedWhileRunning() throws {
    // What kill -9 leaves is what the kernel has at that moment.
    let disk = MemoryDisk()
    let listener = Listener()
    let journal = try Self.open(disk, listener)
    _ = journal.append([.define(id: 1, first: 1, next: 1, kept: 0, line: [])])
    var next: UInt64 = 1
    for round in 1...20 {
      _ = Self.publish(journal, 1, next...next + 500, listener)
      next += 501
      let stored = listener.stored
      let rig = JournalRig(disk.copy(), seed: UInt64(round))
      rig.limits = Self.limits
      try rig.open()
      #expect(rig.report.lastBatch >= stored)
      #expect(rig.report.lost == 0 && rig.report.notes.isEmpty)
      let known = rig.catalog.definitions[1]?.next ?? 1
      #expect(rig.summary(1) == (known > 1 ? "1...\(known - 1)" : ""))
    }
    Self.close(journal, listener)
  }

  @Test("#16 while a sync hangs, appending and reading go on")
  func hangingSync() throws {
    let disk = MemoryDisk()
    let listener = Listener()
    let journal = try Self.open(disk, listener)
    _ = journal.append([.define(id: 1, first: 1, next: 1, kept: 0, line: [])])
    let first = Self.publish(journal, 1, 1...100, listener)
    listener.wait(for: "batch \(first)") { listener.stored >= first }
    listener.wait(for: "housekeeping to be done") { disk.fileNames.count >= 5 }
    let gate = DispatchSemaphore(value: 0)
    let isHanging = Mutex(false)
    disk.onCall { call in
      guard call == .sync else { return }
      isHanging.withLock { $0 = true }
      gate.wait()
    }
    let last = Self.publish(journal, 1, 101...110, listener)
    listener.wait(for: "a sync that hangs") { isHanging.withLock { $0 } }
    let more = Self.publish(journal, 1, 111...120, listener)
    #expect(more >= last)
    #expect(Self.read(journal, 1, listener).count >= 100)
    #expect(listener.stored < more)
    disk.onCall(nil)
    for _ in 0..<100 { gate.signal() }
    listener.wait(for: "batch \(more)") { listener.stored >= more }
    #expect(Self.read(journal, 1, listener).count == 120)
    Self.close(journal, listener)
  }

  @Test("#14 a failed sync is told, and later appends say why")
  func failedSync() throws {
    let disk = MemoryDisk()
    let listener = Listener()
    let journal = try Self.open(disk, listener)
    listener.wait(for: "housekeeping to be done") { disk.fileNames.count >= 5 }
    disk.fail(.init(call: .sync, prefix: "0"))
    _ = journal.append([.define(id: 1, first: 1, next: 1, kept: 0, line: [])])
    listener.wait(for: "the failure") { listener.failure != nil }
    guard case .failure(.stopped(let error)) = journal.append([.delete(id: 1)]) else {
      return #expect(Bool(false))
    }
    #expect(error.code == .failed)
    Self.close(journal, listener)
  }
}
