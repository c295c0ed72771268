/// A change that the journal stores.
///
/// Subjects, consumers and runs have ids from one range, which are never used again.
package enum JournalRecord: Equatable, Sendable {
  case value(subject: UInt32, sequence: UInt64, [UInt8])
  /// A durable consumer has everything up to `sequence`.
  case position(consumer: UInt32, sequence: UInt64)
  /// Nobody needs the subject's values before `first`.
  case trim(subject: UInt32, first: UInt64)
  /// A subject, or another name with its line; its values from `first` up to `next` are needed.
  ///
  /// The first value of a new subject has the sequence `first`, which is `next` then. If `kept` is
  /// not 0, only the last so many values are kept: in memory and in checkpoints.
  case define(id: UInt32, first: UInt64, next: UInt64, kept: UInt32, line: [UInt8])
  case delete(id: UInt32)
  case consumer(id: UInt32, subject: UInt32, sequence: UInt64, name: [UInt8])
  /// The run has processed the subject's values up to `sequence`.
  case runPosition(run: UInt32, subject: UInt32, sequence: UInt64)
  /// A kept value, in a checkpoint.
  case kept(subject: UInt32, sequence: UInt64, [UInt8])
  /// The values of segment `from` that are still needed are in segment `to`.
  ///
  /// In a checkpoint `from` is 0: segment `to` is part of the journal.
  case moved(from: UInt64, to: UInt64)
  /// The subject has ended; `bytes` say how.
  case end(subject: UInt32, bytes: [UInt8])
  /// The disk has lost these values.
  case lost(subject: UInt32, first: UInt64, last: UInt64)
  /// A part of the checkpoint whose first part is batch `first`.
  case part(number: UInt32, first: UInt64, highestID: UInt32)
  case pad(count: Int)

  /// The bytes that the record takes in a frame.
  package var length: Int {
    switch self {
    case .value(_, _, let bytes), .kept(_, _, let bytes), .end(_, let bytes):
      RecordHeader.length(bytes.count)
    case .define(_, _, _, _, let line): RecordHeader.length(8 + line.count)
    case .consumer(_, _, _, let name): RecordHeader.length(name.count)
    case .moved, .lost: RecordHeader.length(8)
    case .pad(let count): RecordHeader.length(count)
    case .position, .trim, .delete, .runPosition, .part: RecordHeader.size
    }
  }

  func append(to frame: inout [UInt8]) {
    switch self {
    case .value(let subject, let sequence, let bytes):
      frame.appendRecord(.value, id: subject, sequence: sequence, payload: bytes)
    case .position(let consumer, let sequence):
      frame.appendRecord(.position, id: consumer, sequence: sequence)
    case .trim(let subject, let first):
      frame.appendRecord(.trim, id: subject, sequence: first)
    case .define(let id, let first, let next, let kept, let line):
      let payload = Self.bytes(first) + line
      frame.appendRecord(.define, id: id, extra: kept, sequence: next, payload: payload)
    case .delete(let id):
      frame.appendRecord(.delete, id: id)
    case .consumer(let id, let subject, let sequence, let name):
      frame.appendRecord(.consumer, id: id, extra: subject, sequence: sequence, payload: name)
    case .runPosition(let run, let subject, let sequence):
      frame.appendRecord(.runPosition, id: run, extra: subject, sequence: sequence)
    case .kept(let subject, let sequence, let bytes):
      frame.appendRecord(.kept, id: subject, sequence: sequence, payload: bytes)
    case .moved(let from, let to):
      frame.appendRecord(.moved, id: 0, sequence: to, payload: Self.bytes(from))
    case .end(let subject, let bytes):
      frame.appendRecord(.end, id: subject, payload: bytes)
    case .lost(let subject, let first, let last):
      frame.appendRecord(.lost, id: subject, sequence: first, payload: Self.bytes(last))
    case .part(let number, let first, let highestID):
      frame.appendRecord(.part, id: highestID, extra: number, sequence: first)
    case .pad(let count):
      frame.appendRecord(.pad, id: 0, payload: [UInt8](repeating: 0, count: count))
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: number)
    return bytes
  }

  /// Reads a record whose header was read at `offset` and is right.
  ///
  /// Nil if the record is one of a footer, or does not make sense.
  package init?(_ fields: Fields, at offset: Int, _ header: RecordHeader) {
    guard let payload = fields.part(at: offset + RecordHeader.size, count: header.count) else {
      return nil
    }
    let (id, extra, sequence) = (header.id, header.extra, header.sequence)
    switch header.kind {
    case .value: self = .value(subject: id, sequence: sequence, payload.array)
    case .position: self = .position(consumer: id, sequence: sequence)
    case .trim: self = .trim(subject: id, first: sequence)
    case .define:
      guard let first = payload.number(at: 0, as: UInt64.self), first <= sequence else {
        return nil
      }
      let line = Array(payload.array.dropFirst(8))
      self = .define(id: id, first: first, next: sequence, kept: extra, line: line)
    case .delete: self = .delete(id: id)
    case .consumer:
      self = .consumer(id: id, subject: extra, sequence: sequence, name: payload.array)
    case .runPosition: self = .runPosition(run: id, subject: extra, sequence: sequence)
    case .kept: self = .kept(subject: id, sequence: sequence, payload.array)
    case .moved:
      guard let from = payload.number(at: 0, as: UInt64.self) else { return nil }
      self = .moved(from: from, to: sequence)
    case .end: self = .end(subject: id, bytes: payload.array)
    case .lost:
      guard let last = payload.number(at: 0, as: UInt64.self), last >= sequence,
        last < UInt64.max
      else { return nil }
      self = .lost(subject: id, first: sequence, last: last)
    case .part: self = .part(number: extra, first: sequence, highestID: id)
    case .pad: self = .pad(count: header.count)
    case .index: return nil
    }
  }
}
