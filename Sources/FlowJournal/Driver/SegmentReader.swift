/// Reads values of one segment, each checked before it is returned.
struct SegmentReader {
  let file: any JournalFile
  let header: SegmentHeader
  /// The offset behind the last record.
  let end: Int
  private static let window = 64 << 10

  struct Value {
    var sequence: UInt64
    var delay: UInt32
    var bytes: [UInt8]
  }

  /// Calls `body` with each value, or with nil if it cannot be read, while it returns true.
  ///
  /// The records begin at `offsets`; the first one is the value with the sequence `first`.
  func read(
    _ subject: UInt32,
    from first: UInt64,
    at offsets: [Int],
    _ body: (UInt64, Value?) -> Bool
  ) {
    var place = 0
    while place < offsets.count {
      var last = place
      while last + 1 < offsets.count, offsets[last + 1] > offsets[last],
        offsets[last + 1] - offsets[place] < Self.window,
        offsets[last + 1] - offsets[last] < 4096
      {
        last += 1
      }
      let start = offsets[place]
      let count = min(offsets[last] - start + 4096, end - start)
      let bytes = (try? file.read(at: start, count: max(0, count), isDirect: false)) ?? []
      for index in place...last {
        let sequence = first + UInt64(index)
        let value =
          bytes.fields { check($0, at: offsets[index] - start, subject, sequence) }
          ?? single(subject, sequence, at: offsets[index])
        guard body(sequence, value) else { return }
      }
      place = last + 1
    }
  }

  private func check(
    _ fields: Fields,
    at offset: Int,
    _ subject: UInt32,
    _ sequence: UInt64
  ) -> Value? {
    guard let record = RecordHeader.read(fields, at: offset, header.salt), record.kind == .value,
      record.id == subject, record.sequence == sequence,
      let bytes = fields.part(at: offset + RecordHeader.size, count: record.count)
    else { return nil }
    return Value(sequence: sequence, delay: record.extra, bytes: bytes.array)
  }

  /// Reads one record by itself, at last from the disk itself.
  private func single(_ subject: UInt32, _ sequence: UInt64, at offset: Int) -> Value? {
    for isDirect in [false, true] {
      let head = try? file.read(at: offset, count: RecordHeader.size, isDirect: isDirect)
      guard let head, head.count == RecordHeader.size else { continue }
      let word = head.fields { $0.number(at: 4, as: UInt32.self) } ?? 0
      let length = RecordHeader.length(Int(word & 0xFFF_FFFF))
      guard length <= end - offset,
        let bytes = try? file.read(at: offset, count: length, isDirect: isDirect),
        let value = bytes.fields({ check($0, at: 0, subject, sequence) })
      else { continue }
      return value
    }
    return nil
  }

  /// Reads the index behind the last batch.
  func footer(segmentSize: Int) -> SegmentIndex? {
    let size = Footer.trailerSize
    guard let last = try? file.read(at: segmentSize - size, count: size, isDirect: false),
      let trailer = last.fields({ Footer.readTrailer($0, header, size: segmentSize) }),
      let bytes = try? file.read(at: trailer.offset, count: trailer.length, isDirect: false)
    else { return nil }
    return bytes.fields { Footer.readIndex($0, trailer, header.salt) }
  }

  /// Makes the index again from the records themselves.
  func rebuiltIndex() -> SegmentIndex {
    let image = FileImage(file: file)
    let (bytes, _) = image.read(count: end)
    return bytes.fields { fields in
      // Holes do not matter here: each record that is right is found.
      SegmentIndex(
        SegmentScan.records(in: SegmentHeader.size..<fields.count, fields, header.salt)
          .compactMap { offset in
            guard let record = RecordHeader(unchecked: fields, at: offset), record.kind == .value
            else { return nil }
            return ValuePlace(subject: record.id, sequence: record.sequence, offset: offset)
          }
      )
    }
  }
}
