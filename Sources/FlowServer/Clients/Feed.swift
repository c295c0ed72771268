internal import FlowSubjects
internal import FlowWire

/// A FEED under way: lines that go to a subject as values, as fast as it takes them.
///
/// A line without room waits at the subject among the SENDs, and the connection is not read until
/// it has gone out. Lines are taken to the end in any case; those that are no use are counted.
final class Feed: SubjectFeed {
  let subject: ServerSubject
  var decoder: FeedDecoder
  /// `nil` once the client is gone.
  private var client: Client?

  /// What became of the lines so far.
  private(set) var figures = FeedFigures()
  /// What became of the subject, if it takes no more.
  private var end: ErrorCode?
  private var waiting: WaitingSend?
  private var inputHasEnded = false

  init(subject: ServerSubject, client: Client) {
    self.subject = subject
    self.client = client
    decoder = FeedDecoder(limit: client.engine.configuration.valueLimit)
    subject.add(self)
  }

  var isWaiting: Bool { waiting != nil }

  // MARK: Lines

  func receive(_ line: UnsafeRawBufferPointer) {
    if let end { return refuse(end) }
    guard subject.hasCredit else { return unsafe wait(line) }
    let result = unsafe subject.publish(line, from: self)
    countUnkept(1)
    figures.sent &+= 1
    figures.missed &+= result.missed
  }

  /// How many lines may come as one batch, if that is what comes next.
  func roomForBatch() -> Int { end == nil ? subject.roomForBatch() : 0 }

  /// Takes lines for which there was `roomForBatch`; returns how many of the first it has taken.
  func receive(_ batch: ValueBatch) -> Int {
    let result = subject.publish(batch, 0..<batch.count, from: self)
    countUnkept(result.taken)
    figures.sent &+= result.taken
    figures.missed &+= result.missed
    return result.taken
  }

  func refuse(_ code: ErrorCode) {
    figures.refused += 1
    if figures.why == nil { figures.why = code.rawValue }
  }

  private func wait(_ line: UnsafeRawBufferPointer) {
    let send = unsafe WaitingSend(value: Array(line), from: self) { [weak self] _, result in
      self?.settle(result)
    }
    waiting = send
    client?.charged.add(Self.header + line.count)
    client?.wait(.feed)
    subject.wait(send)
  }

  /// What a line that waits takes besides its bytes.
  private static let header = 64

  /// No line waits any more.
  private func forgetWaiting() {
    if let waiting { client?.charged.remove(Self.header + waiting.value.count) }
    waiting = nil
  }

  private func settle(_ result: WaitingSend.Result) {
    forgetWaiting()
    switch result {
    case .sent(_, let missed):
      countUnkept(1)
      figures.sent += 1
      figures.missed += missed
    case .refused(let code, _): refuse(end ?? code)
    }
    client?.endWait(.feed)
    if inputHasEnded { client?.endFeedAndInput() }
  }

  // MARK: Where lines are kept

  /// Lines that have gone out and are not kept yet, where they are to be.
  private var unkept = 0
  /// Called once it has ended and all its lines are kept, or are known not to be.
  private var whenSettled: (() -> Void)?

  /// Counts lines that have gone out to a backend.
  private func countUnkept(_ count: Int) { if subject.isIntake { unkept += count } }

  /// Calls `done` when nothing is unkept.
  func whenSettled(_ done: @escaping () -> Void) {
    if unkept == 0 { done() } else { whenSettled = done }
  }

  private func settle(_ count: Int) {
    unkept -= count
    if unkept == 0 { whenSettled.take()?() }
  }

  /// The figures if no more is heard of what is unkept.
  var figuresSoFar: FeedFigures {
    var figures = figures
    guard unkept > 0 else { return figures }
    figures.sent -= unkept
    figures.refused += unkept
    figures.why = figures.why ?? ErrorCode.away.rawValue
    return figures
  }

  // MARK: The end

  func subjectEnded(_ code: ErrorCode) { end = code }

  /// Takes what stands behind the last line end; ends when that has found room.
  func endInput(with rest: UnsafeRawBufferPointer) {
    inputHasEnded = true
    switch unsafe decoder.last(rest) {
    case .value(let line): unsafe receive(UnsafeRawBufferPointer(rebasing: rest[line]))
    case .tooLong: refuse(.valueTooLong)
    case .incomplete, .end: break
    }
    if !isWaiting { client?.endFeedAndInput() }
  }

  /// Ends it, for the answer to be given; a line that still waits is not sent.
  func finish() {
    if let waiting {
      subject.forget(waiting)
      refuse(.draining)
    }
    abandon()
  }

  /// Lets go of the client; a line that waits still goes out.
  func abandon() {
    client = nil
    waiting?.abandon()
    subject.remove(self)
  }
}

extension Feed: ValueSender {
  func kept(_ count: Int, at sequence: UInt64?) { settle(count) }

  func notKept(_ count: Int, _ reason: ErrorCode) {
    figures.sent -= count
    figures.refused += count
    if figures.why == nil { figures.why = reason.rawValue }
    settle(count)
  }
}
