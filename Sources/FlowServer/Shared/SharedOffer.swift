internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// A call of this server that workers of other servers may answer.
///
/// It waits in the stream of calls, and here as well: whoever is free first has it. A server that takes
/// it asks first, so that it is given to one only.
final class SharedOffer: CallOffer {
  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  let number: UInt64
  private let service: String
  private weak var call: Call?
  /// With the server that has it, once one has.
  private(set) var talk: CallTalk?
  /// Where it stands in the stream, if that is known.
  private var sequence: UInt64?
  private var isPublishing = false
  private var publishedAt: Int64?
  private var attempt = 0
  /// What the worker was told, and has not sent.
  private var credit = 0

  init(_ number: UInt64, _ call: Call, of service: String, in calls: SharedCalls) {
    self.number = number
    self.call = call
    self.service = service
    self.calls = calls
  }

  // MARK: Waiting

  /// Puts it into the stream, again when it is gone from there.
  func publish() {
    guard talk == nil, !isPublishing, let call, calls.shared.link.isUp else { return }
    if let publishedAt, calls.shared.now - publishedAt < Self.renewal { return }
    isPublishing = true
    attempt += 1
    let link = calls.shared.link
    // Kept until then, as it may have to be deleted.
    let reply = link.expect(within: 2 * SharedCalls.second) { self.published(PublishAnswer($0)) }
    let argument = unsafe call.argument.withBytes { unsafe Array($0) }
    link.publish {
      $0.publish(
        calls.shared.names.calls(of: service),
        reply: reply,
        headers: PublishHeaders.id("\(link.epoch).\(number).\(attempt)"),
        argument
      )
    }
  }

  /// Before the stream forgets it, in nanoseconds.
  private static let renewal = 25 * SharedCalls.second

  private func published(_ answer: PublishAnswer) {
    isPublishing = false
    switch answer {
    case .stored(let sequence):
      self.sequence = sequence
      publishedAt = calls.shared.now
      // It was withdrawn meanwhile.
      if call == nil || calls.offer(number) !== self, talk == nil { delete() }
    case .repeated, .full, .noStorage, .preceded: break
    case .unknown: calls.streamMayBeGone()
    }
  }

  private func delete() {
    guard let sequence else { return }
    let request = calls.shared.names.deleteMessage(at: sequence, of: JetStream.calls)
    calls.shared.link.request(request) { _ in }
  }

  /// It has a worker here, or is wanted no more.
  func withdraw() {
    calls.forget(self)
    if talk == nil { delete() }
  }

  // MARK: Elsewhere

  /// A server asks whether it may have it.
  func take(_ peer: String) {
    guard talk == nil, let call else {
      // It is with another one: what that one says has a place where it is said.
      return calls.refuse(peer)
    }
    guard call.goElsewhere(self) else { return calls.refuse(peer) }
    talk = CallTalk(with: peer, at: calls.address(number), heard: 1, in: calls)
    sendRequest()
  }

  func scheduleRequest() { calls.schedule(self) }

  /// Tells the worker how much is wanted, as much as may be under way.
  func sendRequest() {
    guard let call, let talk else { return }
    let more = call.request(atMost: Self.window - credit)
    guard more > 0 else { return }
    credit += more
    talk.say("REQ \(more)")
  }

  /// How many values may be under way.
  private static let window = 64

  func hear(_ message: UnsafeRawBufferPointer) {
    guard let call, let talk else { return }
    switch unsafe talk.hear(message) {
    case .value(let bytes)?:
      guard credit > 0, bytes.count <= calls.shared.engine.configuration.valueLimit else {
        return lost()
      }
      credit -= 1
      if case .full = unsafe call.receive(bytes) { return lost() }
      if credit <= Self.window / 2 { scheduleRequest() }
    case .done?:
      calls.forget(self)
      call.end(.finished)
    case .fail(let code, let text)?:
      calls.forget(self)
      call.end(.failure(PipelineFailure(code: code, message: text)))
    case .cancel?: comesBack(call)
    case .alive?: break
    case .take?, .request?, nil: lost()
    }
  }

  /// The server that asked for it has no worker for it after all: others may have it.
  private func comesBack(_ call: Call) {
    talk = nil
    delete()
    sequence = nil
    publishedAt = nil
    call.comesBack(unsent: credit)
    credit = 0
    // A worker of this server may have it by now.
    if call.offer === self { publish() }
  }

  /// The pipeline wants it no more.
  func cancel() {
    talk?.say("CANCEL")
    calls.forget(self)
  }

  /// What the worker says cannot be relied on any more.
  func lost() {
    talk?.say("CANCEL")
    calls.forget(self)
    call?.lost()
  }
}
