internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// The offer of a call to workers of other servers.
///
/// The call waits in the stream and also here; whoever is free first gets it. Another server asks
/// for the call before it takes it, so that only one gets it.
final class SharedOffer: CallOffer {
  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  let number: UInt64
  private let service: String
  private weak var call: Call?
  /// The conversation with the server that has the call.
  private(set) var talk: CallTalk?
  /// The sequence in the stream, if known.
  private var sequence: UInt64?
  private var isPublishing = false
  private var publishedAt: Int64?
  private var attempt = 0
  /// Demand that the worker was told and has not used.
  private var credit = 0

  init(_ number: UInt64, _ call: Call, of service: String, in calls: SharedCalls) {
    self.number = number
    self.call = call
    self.service = service
    self.calls = calls
  }

  /// Puts the call into the stream, again before it expires there.
  func publish() {
    guard talk == nil, !isPublishing, let call, calls.shared.link.isUp else { return }
    if let publishedAt, calls.shared.now - publishedAt < Self.renewal { return }
    isPublishing = true
    attempt += 1
    let link = calls.shared.link
    // Retained until the answer, because it may have to be deleted then.
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

  /// In nanoseconds, before the stream drops the message.
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

  func withdraw() {
    calls.forget(self)
    if talk == nil { delete() }
  }

  /// Gives the call to the server at `peer`, if it still waits.
  func take(_ peer: String) {
    guard talk == nil, let call else {
      // Another server has it; its lines go to the talk.
      return calls.refuse(peer)
    }
    guard call.goElsewhere(self) else { return calls.refuse(peer) }
    talk = CallTalk(with: peer, at: calls.address(number), heard: 1, in: calls)
    sendRequest()
  }

  func scheduleRequest() { calls.schedule(self) }

  /// Sends demand, up to `window`.
  func sendRequest() {
    guard let call, let talk else { return }
    let more = call.request(atMost: Self.window - credit)
    guard more > 0 else { return }
    credit += more
    talk.say("REQ \(more)")
  }

  /// How many values may be on their way.
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

  /// Offers the call again, because the other server has no worker after all.
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

  func cancel() {
    talk?.say("CANCEL")
    calls.forget(self)
  }

  /// Fails the call, because lines were lost.
  func lost() {
    talk?.say("CANCEL")
    calls.forget(self)
    call?.lost()
  }
}
