@testable import FlowJournal

/// What a journal must hold: everything that was appended, batch by batch.
struct JournalModel {
  struct Subject: Equatable {
    var first: UInt64
    var next: UInt64
    var keeps: UInt32
    var values: [UInt64: [UInt8]] = [:]
  }

  /// The contents after some batch.
  struct Contents: Equatable {
    var subjects: [UInt32: Subject] = [:]
    var positions: [UInt32: UInt64] = [:]
    /// The subject of each consumer.
    var consumers: [UInt32: UInt32] = [:]
    var runs: [UInt64: UInt64] = [:]

    mutating func apply(_ record: JournalRecord) {
      switch record {
      case .define(let id, let first, let next, let kept, _):
        subjects[id] = Subject(first: first, next: next, keeps: kept)
      case .value(let id, let sequence, let bytes):
        subjects[id]?.values[sequence] = bytes
        subjects[id]?.next = sequence + 1
        if let keeps = subjects[id]?.keeps, keeps > 0 {
          let first = sequence + 1 - min(sequence + 1, UInt64(keeps))
          trim(id, max(first, subjects[id]?.first ?? 0))
        }
      case .trim(let id, let first): trim(id, first)
      case .delete(let id):
        subjects[id] = nil
        for (consumer, subject) in consumers where subject == id {
          positions[consumer] = nil
          consumers[consumer] = nil
        }
        for key in runs.keys where UInt32(truncatingIfNeeded: key) == id { runs[key] = nil }
      case .consumer(let id, let subject, let sequence, _):
        consumers[id] = subject
        positions[id] = sequence
      case .position(let id, let sequence): positions[id] = sequence
      case .runPosition(let run, let subject, let sequence):
        runs[UInt64(run) << 32 | UInt64(subject)] = sequence
      default: break
      }
    }

    private mutating func trim(_ id: UInt32, _ first: UInt64) {
      guard let known = subjects[id], first > known.first else { return }
      subjects[id]?.first = first
      subjects[id]?.values = known.values.filter { $0.key >= first }
    }
  }

  /// The contents after the batch up to which is verified.
  private(set) var stored = Contents()
  /// What was appended behind it.
  private var log: [(batch: UInt64, records: [JournalRecord])] = []
  /// All that was appended.
  private(set) var newest = Contents()

  mutating func append(_ records: [JournalRecord], in batch: UInt64) {
    log.append((batch, records))
    for record in records { newest.apply(record) }
  }

  /// The journal ends with `batch`: what was appended behind it is gone.
  mutating func end(with batch: UInt64) {
    for entry in log where entry.batch <= batch {
      for record in entry.records { stored.apply(record) }
    }
    log = []
    newest = stored
  }

  /// Compares with what a journal says and reads; returns the first difference.
  func difference(_ rig: JournalRig) -> String? {
    let catalog = rig.catalog
    guard Set(catalog.definitions.keys) == Set(stored.subjects.keys) else {
      return
        "subjects \(catalog.definitions.keys.sorted()), expected \(stored.subjects.keys.sorted())"
    }
    for (id, expected) in stored.subjects.sorted(by: { $0.key < $1.key }) {
      guard let found = catalog.definitions[id] else { return "subject \(id) is missing" }
      if found.next != expected.next || found.first != expected.first || !found.lost.isEmpty {
        return "subject \(id): \(found.first)..<\(found.next) lost \(found.lost), "
          + "expected \(expected.first)..<\(expected.next)"
      }
      var sequence = expected.first
      for item in rig.read(id, from: expected.first) {
        guard case .value(let read, _, let bytes) = item else {
          return "subject \(id): \(item) at \(sequence)"
        }
        guard read == sequence, bytes == expected.values[sequence] else {
          return "subject \(id): another value \(read) at \(sequence)"
        }
        sequence += 1
      }
      if sequence != expected.next { return "subject \(id) ends at \(sequence)" }
    }
    for (id, position) in stored.positions where catalog.consumers[id]?.position != position {
      return "consumer \(id) is at \(catalog.consumers[id]?.position ?? 0), expected \(position)"
    }
    for (key, position) in stored.runs {
      let run = Catalog.RunKey(run: UInt32(key >> 32), subject: UInt32(truncatingIfNeeded: key))
      if catalog.runs[run] != position { return "run \(run) is at \(catalog.runs[run] ?? 0)" }
    }
    return nil
  }
}
