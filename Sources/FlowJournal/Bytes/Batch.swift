/// Records that are stored together: the bytes of their frame, and what the state learns of them
/// when they are stored.
package struct Batch: Sendable {
  package let number: UInt64
  /// The frame; its header and the checksums are missing until it is sealed.
  package private(set) var bytes: [UInt8]
  /// The values of the batch; the offsets are those in the frame.
  package private(set) var values: [ValuePlace] = []
  /// All other records.
  package private(set) var controls: [JournalRecord] = []
  private(set) var records: UInt32 = 0
  package var flags: FrameHeader.Flags = []
  /// The checksum of the sealed frame.
  package private(set) var checksum: UInt32 = 0
  package private(set) var time: UInt64 = 0

  package init(number: UInt64, reusing buffer: consuming [UInt8] = []) {
    self.number = number
    bytes = consume buffer
    bytes.removeAll(keepingCapacity: true)
    bytes += repeatElement(0, count: FrameHeader.size)
  }

  package var isEmpty: Bool { records == 0 }

  package mutating func add(_ record: JournalRecord) {
    if case .value(let subject, let sequence, _) = record {
      values.append(ValuePlace(subject: subject, sequence: sequence, offset: bytes.count))
    } else {
      controls.append(record)
    }
    record.append(to: &bytes)
    records += 1
  }

  /// Appends a value whose bytes the caller lends.
  package mutating func addValue(
    subject: UInt32,
    sequence: UInt64,
    _ payload: UnsafeRawBufferPointer
  ) {
    values.append(ValuePlace(subject: subject, sequence: sequence, offset: bytes.count))
    unsafe bytes.appendRecord(.value, id: subject, sequence: sequence, payload)
    records += 1
  }

  /// Adds a copied value, whose time since the segment's base time stays as it is.
  mutating func addCopy(
    subject: UInt32,
    sequence: UInt64,
    delay: UInt32,
    _ payload: [UInt8]
  ) {
    values.append(ValuePlace(subject: subject, sequence: sequence, offset: bytes.count))
    bytes.appendRecord(.value, id: subject, extra: delay, sequence: sequence, payload: payload)
    records += 1
  }

  /// Fills in header and checksums.
  package mutating func seal(time: UInt64, baseTime: UInt64, chain: UInt32, _ salt: Salt) {
    let delay = flags.contains(.cold) ? nil : UInt32(clamping: time - min(time, baseTime))
    bytes.sealRecords(from: FrameHeader.size, delay: delay, salt)
    var header = FrameHeader(number: number, time: time, chain: chain, flags: flags)
    header.length = bytes.count
    header.records = records
    checksum = header.seal(&bytes, salt)
    self.time = time
  }

  /// The bytes of a value of this batch.
  func payload(_ place: ValuePlace) -> [UInt8] {
    bytes.fields { fields in
      let offset = Int(place.offset) * 8
      guard let header = RecordHeader(unchecked: fields, at: offset) else { return [] }
      return fields.part(at: offset + RecordHeader.size, count: header.count)?.array ?? []
    }
  }

  /// The bytes of the records with values.
  var valueBytes: Int {
    bytes.count - FrameHeader.size - controls.reduce(0) { $0 + $1.length }
  }
}
