@testable import FlowJournal

extension JournalRig {
  /// Defines a subject with this id, whose values stay on disk.
  func define(_ id: UInt32, kept: UInt32 = 0) {
    _ = append([.define(id: id, first: 1, next: 1, kept: kept, line: Array("SUBJECT".utf8))])
    commitAll()
  }

  static func bytes(_ subject: UInt32, _ sequence: UInt64) -> [UInt8] {
    Array("value \(sequence) of \(subject), some sixty bytes long like those of users".utf8)
  }

  /// Publishes the next values of a subject, one a batch.
  func publish(_ subject: UInt32, _ count: Int, inBatchesOf size: Int = 1) {
    var next = catalog.definitions[subject]?.next ?? 1
    var rest = count
    while rest > 0 {
      let records = (0..<min(size, rest)).map { index -> JournalRecord in
        let sequence = next + UInt64(index)
        return .value(subject: subject, sequence: sequence, Self.bytes(subject, sequence))
      }
      guard case .success = append(records) else { return }
      commitAll()
      next += UInt64(records.count)
      rest -= records.count
    }
  }

  /// What a reader gets: the sequences of right values, and gaps.
  func summary(_ subject: UInt32, from sequence: UInt64 = 1) -> String {
    var parts: [String] = []
    var run: ClosedRange<UInt64>?
    func end() {
      if let run { parts.append("\(run.lowerBound)...\(run.upperBound)") }
      run = nil
    }
    for item in read(subject, from: sequence) {
      switch item {
      case .value(let sequence, _, let bytes):
        guard bytes == Self.bytes(subject, sequence) else { return "wrong value at \(sequence)" }
        if let known = run, known.upperBound + 1 == sequence {
          run = known.lowerBound...sequence
        } else {
          end()
          run = sequence...sequence
        }
      case .gap(let range):
        end()
        parts.append("gap \(range.lowerBound)...\(range.upperBound)")
      case .postponed(let sequence): return "postponed at \(sequence)"
      }
    }
    end()
    return parts.joined(separator: ", ")
  }

  /// The file and the offset of a value's record.
  func place(_ subject: UInt32, _ sequence: UInt64) -> (file: String, offset: Int)? {
    for segment in segments {
      let bytes = disk.contents(segment.file)
      let offset = bytes.fields { fields -> Int? in
        SegmentScan.records(in: SegmentHeader.size..<segment.end, fields, segment.header.salt)
          .first { offset in
            let record = RecordHeader(unchecked: fields, at: offset)
            return record?.kind == .value && record?.id == subject && record?.sequence == sequence
          }
      }
      if let offset { return (segment.file, offset) }
    }
    return nil
  }

  /// The places of all batches with values, in the order of their numbers.
  func frames() -> [(file: String, frame: SegmentScan.Frame)] {
    segments.filter { !$0.header.isCold }.flatMap { segment in
      disk.contents(segment.file).fields { fields in
        SegmentScan(fields, segment.header, last: nil).items.compactMap { item in
          guard case .frame(let frame) = item, frame.header.records > 0, frame.header.flags.isEmpty
          else { return nil }
          return (segment.file, frame)
        }
      }
    }
  }

  var segmentFiles: [String] { disk.fileNames.filter { $0.hasSuffix(".seg") } }
}
