/// Applies the records of a journal, from the beginning of the segment with the newest checkpoint.
///
/// Batches that lie between the parts of the checkpoint are applied when it is complete.
struct Replay {
  /// A batch, or the place where some are missing, with the bytes of its segment.
  struct Unit {
    var item: SegmentScan.Item
    var bytes: [UInt8]
    var salt: Salt
  }

  private enum Phase {
    /// Batches before this one are part of the checkpoint.
    case before(UInt64)
    case collecting
    case following
  }

  private(set) var catalog = Catalog()
  /// The segments that the checkpoint names.
  private(set) var named: Set<UInt64> = []
  /// The copied segments, with the segment that took their place.
  private(set) var moved: [UInt64: UInt64] = [:]
  /// What was lost and cannot be counted.
  private(set) var uncounted: [String] = []
  /// Damaged places behind the checkpoint.
  private(set) var damage: [String] = []
  private(set) var time: UInt64 = 0
  private var phase: Phase
  /// The batches between the parts of the checkpoint.
  private var pending: [Unit] = []

  /// Begins at the checkpoint whose first batch has this number; nil begins with nothing.
  init(checkpoint: UInt64?) {
    phase = checkpoint.map { .before($0) } ?? .following
  }

  mutating func noteLoss(_ message: String) { uncounted.append(message) }

  mutating func apply(_ unit: Unit) {
    if case .frame(let frame) = unit.item { time = max(time, frame.header.time) }
    switch phase {
    case .before(let first):
      guard case .frame(let frame) = unit.item, frame.header.number == first else { return }
      phase = .collecting
      collect(unit, frame)
    case .collecting:
      if case .frame(let frame) = unit.item, frame.header.flags.contains(.checkpoint) {
        collect(unit, frame)
      } else {
        pending.append(unit)
      }
    case .following: follow(unit)
    }
  }

  /// Takes a part of the checkpoint.
  private mutating func collect(_ unit: Unit, _ frame: SegmentScan.Frame) {
    unit.bytes.fields { fields in
      Self.each(frame, fields) { offset, header in
        if let record = JournalRecord(fields, at: offset, header) { change(record) }
      }
    }
    guard frame.header.flags.contains(.complete) else { return }
    phase = .following
    for unit in pending { follow(unit) }
    pending = []
  }

  private mutating func follow(_ unit: Unit) {
    unit.bytes.fields { fields in
      switch unit.item {
      case .frame(let frame):
        if frame.header.flags.contains(.checkpoint) { return }
        var values: [(Int, RecordHeader)] = []
        Self.each(frame, fields) { offset, header in
          if header.kind == .value {
            values.append((offset, header))
          } else if let record = JournalRecord(fields, at: offset, header) {
            change(record)
          }
        }
        for (offset, header) in values { receive(fields, offset, header) }
      case .hole(let hole): salvage(hole, fields, unit.salt)
      }
    }
  }

  private static func each(
    _ frame: SegmentScan.Frame,
    _ fields: Fields,
    _ body: (Int, RecordHeader) -> Void
  ) {
    var offset = frame.offset + FrameHeader.size
    let end = frame.offset + frame.header.length
    while offset < end, let header = RecordHeader(unchecked: fields, at: offset) {
      body(offset, header)
      offset += header.length
    }
  }

  private mutating func change(_ record: JournalRecord) {
    guard case .moved(let from, let to) = catalog.apply(record) else { return }
    if from == 0 { named.insert(to) } else { moved[from] = to }
  }

  private mutating func receive(_ fields: Fields, _ offset: Int, _ header: RecordHeader) {
    switch catalog.place(of: header.id) {
    case .nowhere: break
    case .disk: catalog.advance(header.id, past: header.sequence)
    case .memory:
      let bytes = fields.part(at: offset + RecordHeader.size, count: header.count)
      catalog.keep(header.id, header.sequence, bytes?.array ?? [])
    }
  }

  // MARK: Damage

  /// Uses the records of a hole that are right, and counts the values that are not.
  private mutating func salvage(_ hole: SegmentScan.Hole, _ fields: Fields, _ salt: Salt) {
    let batches = hole.batches
    damage.append(
      "batches \(batches.lowerBound) to \(batches.upperBound) at \(hole.range.lowerBound)"
    )
    var place = hole.range.lowerBound
    if batches.count == 1 { place += FrameHeader.size }
    var isComplete = batches.count == 1 && place <= hole.range.upperBound
    for offset in SegmentScan.records(in: hole.range, fields, salt) {
      guard let header = RecordHeader(unchecked: fields, at: offset) else { continue }
      isComplete = isComplete && countLost(fields, place..<max(place, offset))
      if header.kind == .value {
        receive(fields, offset, header)
      } else if let record = JournalRecord(fields, at: offset, header) {
        change(record)
      }
      place = offset + header.length
    }
    isComplete = isComplete && countLost(fields, place..<max(place, hole.range.upperBound))
    if !isComplete {
      uncounted.append("what was in batches \(batches.lowerBound) to \(batches.upperBound)")
    }
  }

  /// Counts damaged values whose headers are still right.
  ///
  /// A header is right if the bytes are exactly filled by values, and each has the sequence that
  /// its subject expects.
  ///
  /// - Returns: whether all bytes are accounted for.
  private mutating func countLost(_ fields: Fields, _ range: Range<Int>) -> Bool {
    var values: [RecordHeader] = []
    var place = range.lowerBound
    while place < range.upperBound {
      guard let header = RecordHeader(unchecked: fields, at: place), header.kind == .value,
        place + header.length <= range.upperBound
      else { return false }
      values.append(header)
      place += header.length
    }
    for value in values {
      guard let known = catalog.definitions[value.id], known.next == value.sequence else {
        return false
      }
      // The value is missing from the index, and so it will be found to be lost.
      catalog.advance(value.id, past: value.sequence)
    }
    return true
  }
}
