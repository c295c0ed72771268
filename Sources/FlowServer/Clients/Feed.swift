internal import FlowSubjects
internal import FlowWire

/// A running FEED: passes lines to a subject as fast as it takes them.
///
/// A line without room waits at the subject like a SEND, and the connection is not read meanwhile.
/// When the subject has ended, further lines are counted and dropped.
final class Feed: SubjectFeed {
  let subject: ServerSubject
  var decoder: FeedDecoder
  private var client: Client?

  private(set) var figures = FeedFigures()
  /// Why the subject takes no more, if so.
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

  func receive(_ line: UnsafeRawBufferPointer) {
    if let end { return refuse(end) }
    guard subject.hasCredit else { return unsafe wait(line) }
    let result = unsafe subject.publish(line, from: self)
    countUnkept(1)
    figures.sent &+= 1
    figures.missed &+= result.missed
  }

  /// How many lines may come as one batch now.
  func roomForBatch() -> Int { end == nil ? subject.roomForBatch() : 0 }

  /// Takes lines within `roomForBatch`; returns how many of them.
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

  /// The memory of a waiting line besides its bytes.
  private static let header = 64

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

  // MARK: Storing

  /// Lines that were sent to a backend and are not stored yet.
  private var unkept = 0
  private var whenSettled: (() -> Void)?

  private func countUnkept(_ count: Int) { if subject.isIntake { unkept += count } }

  /// Calls `done` when every line is stored, or known not to be.
  func whenSettled(_ done: @escaping () -> Void) {
    if unkept == 0 { done() } else { whenSettled = done }
  }

  private func settle(_ count: Int) {
    unkept -= count
    if unkept == 0 { whenSettled.take()?() }
  }

  /// The figures if the backend says nothing more.
  var figuresSoFar: FeedFigures {
    var figures = figures
    guard unkept > 0 else { return figures }
    figures.sent -= unkept
    figures.refused += unkept
    figures.why = figures.why ?? ErrorCode.away.rawValue
    return figures
  }

  func subjectEnded(_ code: ErrorCode) { end = code }

  /// Takes the bytes after the last line end, and ends when they have found room.
  func endInput(with rest: UnsafeRawBufferPointer) {
    inputHasEnded = true
    switch unsafe decoder.last(rest) {
    case .value(let line): unsafe receive(UnsafeRawBufferPointer(rebasing: rest[line]))
    case .tooLong: refuse(.valueTooLong)
    case .incomplete, .end: break
    }
    if !isWaiting { client?.endFeedAndInput() }
  }

  /// Ends the feed for its answer; a line that still waits is dropped.
  func finish() {
    if let waiting {
      subject.forget(waiting)
      refuse(.draining)
    }
    abandon()
  }

  /// Forgets the client; a line that waits still goes out.
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
