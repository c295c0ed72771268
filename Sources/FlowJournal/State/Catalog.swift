/// The names of a journal with all that belongs to them but the values on disk.
///
/// A checkpoint is a copy of it.
package struct Catalog: Sendable {
  package struct KeptValue: Equatable, Sendable {
    package var sequence: UInt64
    package var bytes: [UInt8]
  }

  package struct Definition: Equatable, Sendable {
    package var line: [UInt8]
    /// The sequence of the next value.
    package var next: UInt64
    /// The first sequence that is still needed.
    package var first: UInt64
    /// The number of last values that are kept in memory; 0 if the values stay on disk.
    package var keeps: UInt32
    package var kept: [KeptValue] = []
    package var end: [UInt8]?
    /// The lost values that are not trimmed, in order.
    package var lost: [ClosedRange<UInt64>] = []

    fileprivate mutating func advance(past sequence: UInt64) {
      next = max(next, sequence &+ 1)
    }

    fileprivate mutating func keep(_ value: KeptValue) {
      advance(past: value.sequence)
      kept.append(value)
      if kept.count > Int(keeps) { kept.removeFirst(kept.count - Int(keeps)) }
      first = kept.first?.sequence ?? next
    }
  }

  package struct Consumer: Equatable, Sendable {
    package var subject: UInt32
    package var name: [UInt8]
    package var position: UInt64
  }

  package struct RunKey: Hashable, Sendable {
    package var run: UInt32
    package var subject: UInt32
  }

  package private(set) var definitions: [UInt32: Definition] = [:]
  package private(set) var consumers: [UInt32: Consumer] = [:]
  package private(set) var runs: [RunKey: UInt64] = [:]
  /// The highest id that was ever used.
  package private(set) var highestID: UInt32 = 0

  /// What a change means for the values on disk.
  enum Effect: Equatable {
    case none
    case trimmed(subject: UInt32, first: UInt64)
    case deleted(subject: UInt32)
    case lost(subject: UInt32, ClosedRange<UInt64>)
    case moved(from: UInt64, to: UInt64)
  }

  /// Where a value belongs.
  enum Place { case disk, memory, nowhere }

  mutating func apply(_ record: JournalRecord) -> Effect {
    switch record {
    case .value, .pad: return .none
    case .define(let id, let first, let next, let kept, let line):
      note(id)
      let new = Definition(line: line, next: next, first: first, keeps: kept)
      definitions[id, default: new].line = line
    case .end(let subject, let bytes): definitions[subject]?.end = bytes
    case .consumer(let id, let subject, let sequence, let name):
      note(id)
      consumers[id] = Consumer(subject: subject, name: name, position: sequence)
    case .position(let id, let sequence): consumers[id]?.position = sequence
    case .runPosition(let run, let subject, let sequence):
      runs[RunKey(run: run, subject: subject)] = sequence
    case .kept(let subject, let sequence, let bytes): keep(subject, sequence, bytes)
    case .part(_, _, let highestID): note(highestID)
    case .moved(let from, let to): return .moved(from: from, to: to)
    case .trim(let subject, let first): return trim(subject, first)
    case .delete(let id): return delete(id)
    case .lost(let subject, let first, let last): return lose(subject, first...last)
    }
    return .none
  }

  private mutating func note(_ id: UInt32) { highestID = max(highestID, id) }

  private mutating func trim(_ subject: UInt32, _ first: UInt64) -> Effect {
    guard let known = definitions[subject], first > known.first else { return .none }
    definitions[subject]?.first = first
    definitions[subject]?.next = max(known.next, first)
    definitions[subject]?.kept.removeAll { $0.sequence < first }
    definitions[subject]?.lost = known.lost.compactMap { range in
      range.upperBound < first ? nil : max(range.lowerBound, first)...range.upperBound
    }
    return .trimmed(subject: subject, first: first)
  }

  private mutating func delete(_ id: UInt32) -> Effect {
    let consumed = consumers.filter { $0.key == id || $0.value.subject == id }
    for consumer in consumed.keys { consumers[consumer] = nil }
    for key in runs.keys where key.run == id || key.subject == id { runs[key] = nil }
    return definitions.removeValue(forKey: id) == nil ? .none : .deleted(subject: id)
  }

  private mutating func lose(_ subject: UInt32, _ range: ClosedRange<UInt64>) -> Effect {
    guard let known = definitions[subject], range.upperBound >= known.first else { return .none }
    let rest = max(range.lowerBound, known.first)...range.upperBound
    definitions[subject]?.next = max(known.next, range.upperBound &+ 1)
    definitions[subject]?.lost.append(rest)
    definitions[subject]?.lost.sort { $0.lowerBound < $1.lowerBound }
    return .lost(subject: subject, rest)
  }

  /// Where the values of a subject belong.
  func place(of subject: UInt32) -> Place {
    guard let known = definitions[subject] else { return .nowhere }
    return known.keeps == 0 ? .disk : .memory
  }

  /// Takes a value of a subject that keeps some in memory.
  mutating func keep(_ subject: UInt32, _ sequence: UInt64, _ bytes: [UInt8]) {
    definitions[subject]?.keep(KeptValue(sequence: sequence, bytes: bytes))
  }

  /// Notes that the subject has had a value with this sequence.
  mutating func advance(_ subject: UInt32, past sequence: UInt64) {
    definitions[subject]?.advance(past: sequence)
  }

  /// The records of a checkpoint, without its parts and segments.
  var records: [JournalRecord] {
    var records: [JournalRecord] = []
    for (id, known) in definitions.sorted(by: { $0.key < $1.key }) {
      let (first, next) = (known.first, known.next)
      records.append(
        .define(id: id, first: first, next: next, kept: known.keeps, line: known.line)
      )
      for value in known.kept {
        records.append(.kept(subject: id, sequence: value.sequence, value.bytes))
      }
      for range in known.lost {
        records.append(.lost(subject: id, first: range.lowerBound, last: range.upperBound))
      }
      if let end = known.end { records.append(.end(subject: id, bytes: end)) }
    }
    for (id, known) in consumers.sorted(by: { $0.key < $1.key }) {
      let (subject, name) = (known.subject, known.name)
      records.append(.consumer(id: id, subject: subject, sequence: known.position, name: name))
    }
    for (key, sequence) in runs.sorted(by: {
      ($0.key.run, $0.key.subject) < ($1.key.run, $1.key.subject)
    }) {
      records.append(.runPosition(run: key.run, subject: key.subject, sequence: sequence))
    }
    return records
  }
}
