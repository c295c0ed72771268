/// The batch that is being gathered while the one before it is written.
///
/// This is all that the caller's thread touches: it appends bytes and gets a batch number.
package struct Gathering: Sendable {
  package enum Refusal: Error, Equatable, Sendable {
    /// The buffer is full until the batch in flight is stored.
    case busy
    /// The disk has no room for values; control records may be appended.
    case full
    /// More than a segment can hold.
    case tooLarge
    case stopped(JournalError)
  }

  /// What the commit thread does next.
  enum Step {
    case write(Batch)
    /// Wait for records, or until a time in nanoseconds.
    case wait(until: UInt64?)
    case stop
  }

  private var batch: Batch
  private var pace = CommitPace()
  /// A buffer for the batch after this one.
  private var buffer: [UInt8] = []
  private var stop: JournalError?
  /// The bytes of values for which the disk has room, without those of the batch in flight.
  private var roomOnDisk = 0
  private var inFlight = 0
  private let limits: JournalLimits

  init(next number: UInt64, _ limits: JournalLimits) {
    batch = Batch(number: number)
    self.limits = limits
  }

  /// The bytes of values that may be appended now.
  package var room: Int {
    stop == nil ? max(0, min(limits.batchBytes, roomOnDisk) - batch.bytes.count) : 0
  }

  package var isEmpty: Bool { batch.isEmpty }

  /// The error that ended the journal.
  package var failure: JournalError? { stop }

  // MARK: The caller

  /// Appends records, which are stored together; returns the number of their batch.
  package mutating func append(_ records: [JournalRecord]) -> Result<UInt64, Refusal> {
    let bytes = records.reduce(0) { $0 + $1.length }
    let values = records.reduce(0) { count, record in
      if case .value = record { count + 1 } else { count }
    }
    if let refusal = refusal(bytes: bytes, values: values) { return .failure(refusal) }
    for record in records { batch.add(record) }
    return .success(batch.number)
  }

  /// Appends a value whose bytes the caller lends.
  package mutating func appendValue(
    subject: UInt32,
    sequence: UInt64,
    _ bytes: UnsafeRawBufferPointer
  ) -> Result<UInt64, Refusal> {
    if let refusal = refusal(bytes: RecordHeader.length(bytes.count), values: 1) {
      return .failure(refusal)
    }
    unsafe batch.addValue(subject: subject, sequence: sequence, bytes)
    return .success(batch.number)
  }

  private func refusal(bytes: Int, values: Int) -> Refusal? {
    if let stop { return .stopped(stop) }
    let index = Footer.size(runs: values, values: values)
    let room = limits.segmentSize - SegmentHeader.size - FrameHeader.size
    guard bytes + index <= room else { return .tooLarge }
    if values > 0, batch.bytes.count + bytes > roomOnDisk { return .full }
    // A batch with values must fit where there is room for them.
    if !batch.values.isEmpty, batch.bytes.count + bytes > roomOnDisk { return .busy }
    // Control records are few, and a full buffer must not hold up those that make room.
    let most = values > 0 ? limits.batchBytes : 2 * limits.batchBytes
    if !batch.isEmpty, batch.bytes.count + bytes > most { return .busy }
    return nil
  }

  /// Whether the commit thread must be woken after an append.
  package var isWorthWaking: Bool { !batch.isEmpty && batch.bytes.count >= pace.expected }

  // MARK: The commit thread

  /// Returns the next batch, or how long to wait for more of it.
  ///
  /// If a part of a checkpoint is waiting, it gets the number after the batch.
  mutating func next(at now: UInt64, reserving isReserving: Bool) -> Step {
    if let stop, stop.code != .closed || batch.isEmpty { return .stop }
    if batch.isEmpty {
      if now < pace.deadline, pace.expected < Int.max { return .wait(until: pace.deadline) }
      pace.rest()
      return .wait(until: nil)
    }
    if stop == nil, batch.bytes.count < pace.expected, now < pace.deadline {
      return .wait(until: pace.deadline)
    }
    let taken = batch
    let number = taken.number + (isReserving ? 2 : 1)
    // Moved out, so that the array is not copied when it is emptied.
    var spare: [UInt8] = []
    swap(&spare, &buffer)
    batch = Batch(number: number, reusing: spare)
    pace.start(at: now, bytes: taken.bytes.count)
    inFlight = taken.bytes.count
    roomOnDisk -= inFlight
    return .write(taken)
  }

  /// Takes the next batch number for a batch that is made elsewhere, if nothing is gathered.
  mutating func claim() -> UInt64? {
    guard batch.isEmpty, stop == nil || stop?.code == .closed else { return nil }
    defer { batch = Batch(number: batch.number + 1) }
    return batch.number
  }

  /// Notes that the batch in flight is stored, and takes its buffer back.
  mutating func stored(at now: UInt64, buffer: [UInt8]) {
    inFlight = 0
    if buffer.count <= 2 * limits.batchBytes { self.buffer = buffer }
    pace.finish(at: now, gathered: batch.bytes.count - FrameHeader.size)
  }

  /// Notes the bytes of values for which the disk has room behind what is stored.
  mutating func setRoom(_ bytes: Int) { roomOnDisk = bytes - inFlight }

  /// Refuses everything from now on.
  mutating func stop(_ error: JournalError) {
    if stop == nil || stop?.code == .closed { stop = error }
  }
}

/// When the next batch starts: when as many bytes are there as the last one had, at the latest
/// after 1/8 of the mean time of a sync.
///
/// Clients that were just answered send again; without the wait half of them would miss the batch.
struct CommitPace: Sendable {
  private(set) var expected = 0
  private(set) var deadline: UInt64 = 0
  private var mean: UInt64 = 100_000
  /// When the batch in flight started; nil if it is none that was gathered.
  private var started: UInt64?
  private var bytes = 0

  mutating func start(at now: UInt64, bytes: Int) {
    started = now
    self.bytes = bytes
    // While a batch is in flight the commit thread need not be woken.
    expected = Int.max
    deadline = UInt64.max
  }

  /// Nothing came in time: the next records are written at once.
  mutating func rest() { expected = 0 }

  mutating func finish(at now: UInt64, gathered: Int) {
    guard let began = started else { return }
    started = nil
    let took = now - min(now, began)
    mean = (mean &* 7 &+ took) / 8
    expected = bytes + gathered
    deadline = now + mean / 8
  }
}
