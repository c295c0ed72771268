import Dispatch
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// Sends chunks of values as fast as the subject grants and the socket takes them.
///
/// One thread offers a chunk and waits while the connection's queue sends it.
final class LinePump: RemotePublicationHandler, @unchecked Sendable {  // see each variable
  /// The most values in transit to the subscribers.
  private static let grant = 4_096

  /// The results for the waiting thread.
  private struct Report {
    var sent: UInt64 = 0
    var unconfirmed: UInt64 = 0
    var failure: ClientError?
    var answer: RemoteAnswer?
  }

  let remote: FlowRemote
  private let platform: any Platform
  private let largestValue: Int
  /// Called with the number of values that a lost connection may have cost.
  private let noteLoss: @Sendable (UInt64) -> Void
  private let step = DispatchSemaphore(value: 0)
  private let report = Mutex(Report())
  // These belong to the connection's queue.
  private var publication: RemotePublication?
  private var work: (chunk: ValueChunk, place: ValueChunk.Place)?
  /// Whether a value's arrival at the server suffices, because it is not stored.
  private var isThereOnArrival = false

  init(
    _ remote: FlowRemote,
    on platform: any Platform,
    noteLoss: @escaping @Sendable (UInt64) -> Void
  ) {
    self.remote = remote
    largestValue = remote.largestValue
    self.platform = platform
    self.noteLoss = noteLoss
  }

  var sent: UInt64 { report.withLock { $0.sent } }

  /// The most values that a lost connection may have cost, as known at the end.
  var unconfirmed: UInt64 { report.withLock { $0.unconfirmed } }

  /// The server's answer to the DONE of the publication.
  var answer: RemoteAnswer? { report.withLock { $0.answer } }

  func start(name: String) {
    remote.perform { [self] in
      // LIST needs no right beyond sending. It takes only patterns; this one also matches the name itself.
      remote.command(.list(.subjects, like: "\(name)/**")) { answer in
        let rows = (try? answer.get())?.rows ?? []
        let row = rows.lazy.map { Row($0) }.first { $0.kind == .subject && $0.name == name }
        self.isThereOnArrival = row.map { $0.fields["on"] != "nats" } ?? false
      }
      publication = remote.publish(to: name, grant: Self.grant, handler: self)
    }
  }

  /// Begins to send `chunk`, which must stay valid until `wait` returns true.
  func offer(_ chunk: ValueChunk) {
    remote.perform {
      self.work = (chunk, ValueChunk.Place())
      self.pump()
    }
  }

  /// Ends the publication; `wait` returns when the server has taken everything.
  func finish() {
    remote.perform {
      self.publication?.finish { answer in
        switch answer {
        case .success(let answer):
          let unconfirmed = self.publication?.unconfirmed ?? 0
          self.report.withLock { report in
            report.unconfirmed = unconfirmed
            report.answer = answer
          }
          self.step.signal()
        case .failure(let error):
          self.fail(ClientError(error), untaken: self.publication?.untaken)
        }
      }
    }
  }

  /// Waits until the chunk is sent; returns false if the `deadline` passes first.
  func wait(until deadline: UInt64?) throws(ClientError) -> Bool {
    let isSent = platform.wait(for: step, until: deadline)
    if let failure = report.withLock({ $0.failure }) { throw failure }
    return isSent
  }

  /// Stops sending the chunk, which may then be released.
  func abandon() {
    let isDropped = DispatchSemaphore(value: 0)
    remote.perform {
      self.work = nil
      isDropped.signal()
    }
    _ = platform.wait(for: isDropped, until: nil)
  }

  /// Fails; at most `untaken` of the sent values did not reach the subject.
  private func fail(_ error: ClientError, untaken: UInt64?) {
    let error = error.behind(sent: publication?.sent ?? 0, untaken: untaken ?? 0)
    report.withLock { $0.failure = $0.failure ?? error }
    step.signal()
  }

  // MARK: On the connection's queue

  func publicationMayContinue(_ p: RemotePublication) {
    pump()
  }

  func publication(_ p: RemotePublication, ended error: RemoteError) {
    fail(ClientError(error), untaken: p.untaken)
  }

  func publication(_ p: RemotePublication, mayHaveLost count: UInt64) { noteLoss(count) }

  private func pump() {
    guard let publication, let work else { return }
    let chunk = work.chunk
    var place = work.place
    defer { report.withLock { $0.sent = publication.sent } }
    while !chunk.isEnd(place) {
      let start = place
      let value = unsafe chunk.next(&place)
      guard value.count <= largestValue else {
        self.work = nil
        let text = "value \(publication.sent + 1) has \(value.count) bytes, but the limit is"
        let error = ClientError(.badInput, "\(text) \(largestValue)")
        return fail(error, untaken: publication.lost)
      }
      guard !publication.isFull else {
        self.work = (chunk, start)
        return confirm()
      }
      _ = unsafe publication.send(value)
    }
    confirm()
    self.work = nil
    step.signal()
  }

  private func confirm() {
    if isThereOnArrival { publication?.confirm() }
  }
}
