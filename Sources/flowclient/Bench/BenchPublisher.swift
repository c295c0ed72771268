import FlowRemote
import FlowTransport
import FlowWire

/// A connection that publishes numbered values, as many as it is granted.
final class BenchPublisher: BenchClient {
  /// The most bytes that one publisher writes before the next one writes.
  private static let bytesAtOnce = 256 << 10
  /// The most that may be granted at once.
  private static let grant = 65_536
  private static let endTag = "done"

  let index: Int
  private(set) var sent: UInt64 = 0
  private var credit = Demand.none
  private(set) var isFinishing = false
  /// Whether the server has said that it has taken everything, or never will.
  private(set) var isFinished = false

  init(_ run: BenchRun, index: Int) {
    self.index = index
    super.init(run)
  }

  override var opening: Command {
    .publish(name: run.target.subject, id: Self.stream, grant: Self.grant, over: nil, owner: false)
  }

  override func opened(demand: Demand) { credit = demand }

  override func handle(_ line: TaggedServerLine) {
    switch line.line {
    case .request(_, let demand):
      credit += demand
      run.publish(self)
    case .ok where line.tag == Self.endTag: end()
    case .cancel(_, let reason):
      leave(.cancelled("publication", reason: reason))
    default: break
    }
  }

  override func drained() { run.publish(self) }

  /// Sends until `limit` values were sent in all, as far as grant and socket allow.
  ///
  /// - Returns: whether it could go on at once.
  func publish(upTo limit: UInt64) -> Bool {
    guard let connection, !isFinishing else { return false }
    let frames = run.frames
    var bytes = 0
    while !connection.isBlocked, bytes < Self.bytesAtOnce {
      let wanted = limit > sent ? min(limit - sent, UInt64(frames.capacity)) : 0
      let count = Int(min(wanted, credit.max ?? .max))
      guard count > 0 else { return false }
      let values = unsafe fill(count, frames)
      sent += UInt64(count)
      credit -= UInt64(count)
      unsafe connection.append(values)
      bytes += values.count
    }
    return !connection.isBlocked
  }

  private func fill(_ count: Int, _ frames: BenchFrames) -> UnsafeRawBufferPointer {
    let now = run.clock.now
    let sender = run.senders.lowerBound + UInt32(index)
    let first = sent
    guard let pacing = run.pacing else {
      let due = BenchTime(nanoseconds: now)
      return unsafe frames.fill(count) {
        let number = UInt32(truncatingIfNeeded: first + UInt64($0))
        return BenchValue(sender: sender, number: number, due: due)
      }
    }
    return unsafe frames.fill(count) {
      let number = first + UInt64($0)
      let due = pacing.due(number, of: index)
      return BenchValue(
        sender: sender,
        number: UInt32(truncatingIfNeeded: number),
        due: BenchTime(nanoseconds: due),
        lateness: now > due ? now - due : 0
      )
    }
  }

  /// Sends no more, and asks to be told when all was taken.
  func finish() {
    guard !isFinishing else { return }
    isFinishing = true
    say(.done(.stream(Self.stream)), tag: Self.endTag)
  }

  override func leave(_ error: RemoteError) {
    super.leave(error)
    end()
  }

  private func end() {
    guard !isFinished else { return }
    isFinished = true
    run.finished(self)
  }
}
