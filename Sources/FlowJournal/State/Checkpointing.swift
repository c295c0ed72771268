/// When checkpoints are written, and the one that is being written.
///
/// A checkpoint is a copy of the catalog as of one batch. Its parts are written between batches;
/// the first one is the next batch after the copy was made.
struct Checkpointing: Sendable {
  struct Writing: Sendable {
    var first: UInt64
    var place: SegmentHeader.Place
    var records: ArraySlice<JournalRecord>
    var part: UInt32 = 0
    var bytes = 0
  }

  /// The newest complete checkpoint.
  private(set) var newest = SegmentHeader.Place()
  private(set) var writing: Writing?
  private(set) var isDue = false
  /// The bytes of the journal since the newest checkpoint began, and the bytes of that one.
  private var since = 0
  private var size = 0

  init(newest: SegmentHeader.Place) {
    self.newest = newest
    // The first segment after a recovery gets one, so that the old tail is not read again.
    isDue = true
  }

  /// Whether a part is to be written after the next batch.
  var wantsPart: Bool { isDue || writing != nil }

  mutating func noteBytes(_ count: Int) { since += count }

  /// A new segment begins: one checkpoint for each, if it takes at most 1/16 of the bytes.
  mutating func noteActivation() {
    if writing == nil, since >= 16 * size { isDue = true }
  }

  /// Begins with `records`, or continues; returns the next part as a batch.
  mutating func part(
    number: UInt64,
    highestID: UInt32,
    mostBytes: Int,
    records: () -> [JournalRecord]
  ) -> Batch {
    if writing == nil {
      isDue = false
      writing = Writing(first: number, place: .init(), records: records()[...])
    }
    guard var current = writing else { preconditionFailure("no checkpoint is being written") }
    var batch = Batch(number: number)
    batch.add(.part(number: current.part, first: current.first, highestID: highestID))
    while let record = current.records.first {
      guard batch.bytes.count + record.length <= mostBytes || batch.controls.count == 1 else {
        break
      }
      batch.add(record)
      current.records.removeFirst()
    }
    batch.flags = current.records.isEmpty ? [.checkpoint, .complete] : .checkpoint
    current.part += 1
    current.bytes += batch.bytes.count
    writing = current
    return batch
  }

  /// Notes that a part is stored; returns whether the checkpoint is complete.
  mutating func stored(_ batch: Batch, at place: SegmentHeader.Place) -> Bool {
    guard batch.flags.contains(.checkpoint), var current = writing else { return false }
    if batch.number == current.first {
      current.place = place
      since = 0
    }
    writing = current
    guard batch.flags.contains(.complete) else { return false }
    newest = current.place
    size = current.bytes
    writing = nil
    return true
  }
}
