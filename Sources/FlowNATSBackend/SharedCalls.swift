internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// Exchanges calls with other servers through NATS.
///
/// A waiting call is put into a stream, from which servers pull as many as their workers have
/// demand for. The two servers then talk directly, without the stream.
final class SharedCalls: CallExchange {
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  private var isMaking = false
  private var lastNumber: UInt64 = 0
  private var offers: [UInt64: SharedOffer] = [:]
  private var taken: [UInt64: TakenCall] = [:]
  private var takers: [String: CallTaker] = [:]
  /// The same, in the order of their services.
  private var allTakers: [CallTaker] { takers.sorted { $0.key < $1.key }.map(\.value) }
  /// Services whose capacity may have changed.
  private var changed: [Service] = []
  /// Waiting calls that are not offered yet: at once without a worker here, else after `delay`.
  private var fresh: [Call] = []
  private var late: [Call] = []
  private var isWatching = false
  private var isWaitingForLate = false
  /// Offers with new demand for their workers.
  private var wanting: [SharedOffer] = []

  init(_ shared: SharedSubjects) { self.shared = shared }

  static let second: Int64 = 1_000_000_000
  static let ack = Array("+ACK".utf8)
  /// Rejects a call for now; NATS offers it to others, or here after a second.
  private static let later = Array("-NAK {\"delay\":1000000000}".utf8)

  /// How long a call waits for a busy worker here before it is offered, in nanoseconds.
  private static let delay: Int64 = 20_000_000
  private static let mostOffers = 4096

  var longestValue: Int { shared.link.longestValue }

  /// The subject of this process for talk number `number`.
  func address(_ number: UInt64) -> String { shared.names.talk(shared.link.epoch, "\(number)") }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func schedule() { shared.engine.scheduleStoreWork() }

  // MARK: The stream

  private var hasStream: Bool { shared.hasStream(JetStream.calls) }

  /// Has the stream made, then resumes offering and taking calls.
  func open() {
    guard !hasStream, !isMaking, shared.link.isUp, !shared.isStopping else { return }
    isMaking = true
    shared.openStream(JetStream.calls, shared.names.createCalls) { [weak self] isThere in
      guard let self else { return }
      isMaking = false
      if isThere { return resume() }
      shared.after(Self.second) { [weak self] in self?.resume() }
    }
  }

  /// Resumes offering and taking calls.
  private func resume() {
    for name in takers.keys.sorted() { schedule(name) }
    schedule()
  }

  func streamMayBeGone() {
    shared.streamMayBeGone(JetStream.calls)
    for taker in allTakers { taker.close() }
    resume()
  }

  func linkIsUp() {
    for (_, offer) in offers.sorted(by: { $0.key < $1.key }) { offer.talk?.linkIsUp() }
    for (_, call) in taken.sorted(by: { $0.key < $1.key }) { call.linkIsUp() }
    resume()
  }

  func linkIsAway() {
    isMaking = false
    for taker in allTakers { taker.close() }
  }

  func stop() {
    for taker in allTakers { taker.close() }
    takers.removeAll()
  }

  func waits(_ call: Call, at service: Service) {
    if !service.hasWorkers {
      fresh.append(call)
      schedule()
    } else {
      late.append(call)
      offerLater(Self.delay)
    }
  }

  private func offerLater(_ delay: Int64) {
    guard !isWaitingForLate else { return }
    isWaitingForLate = true
    shared.after(delay) { [weak self] in
      guard let self else { return }
      isWaitingForLate = false
      fresh += late
      late.removeAll()
      schedule()
    }
  }

  private func offerFresh() {
    guard !fresh.isEmpty, shared.link.isUp else { return }
    guard hasStream else { return open() }
    let calls = fresh
    fresh.removeAll()
    for call in calls {
      guard let service = call.waitsFor, call.offer == nil,
        call.argument.footprint <= longestValue
      else { continue }
      guard offers.count < Self.mostOffers else {
        late.append(call)
        continue
      }
      let offer = SharedOffer(nextNumber(), call, of: service.name, in: self)
      offers[offer.number] = offer
      call.offer = offer
      offer.publish()
    }
    if !late.isEmpty { offerLater(Self.second) }
    watchPeers()
  }

  func offer(_ number: UInt64) -> SharedOffer? { offers[number] }

  func forget(_ offer: SharedOffer) {
    if offers.removeValue(forKey: offer.number) != nil { shared.engine.releaseLater(offer) }
  }

  func schedule(_ offer: SharedOffer) {
    wanting.append(offer)
    schedule()
  }

  /// Tells a server that it cannot have a call.
  func refuse(_ peer: String) {
    shared.link.publish { $0.publish(peer, Array("0 CANCEL".utf8)) }
  }

  func capacityChanged(of service: Service) {
    guard !service.isChanged else { return }
    service.isChanged = true
    changed.append(service)
    schedule()
  }

  func schedule(_ name: String) { shared.engine.services[name].map(capacityChanged) }

  private func followWorkers() {
    guard shared.link.isUp, !shared.isStopping else { return }
    let services = changed
    changed.removeAll()
    for service in services {
      service.isChanged = false
      guard shared.engine.services[service.name] === service, service.hasWorkers else {
        takers.removeValue(forKey: service.name)?.close()
        continue
      }
      let taker = takers[service.name] ?? CallTaker(service.name, in: self)
      takers[service.name] = taker
      taker.follow(service, hasStream: hasStream)
    }
    if !takers.isEmpty { watchPeers() }
  }

  /// Handles a pulled call.
  func bring(_ value: NATSValue) {
    guard let name = unsafe shared.names.service(calledAt: text(value.subject)),
      let id = unsafe value.messageID.map({ unsafe text($0) })
    else { return }
    let ack = unsafe text(value.ack)
    takers[name]?.came()
    // Any NATS client can send an id, and it becomes part of a subject.
    let parts = id.split(separator: ".").map(String.init)
    guard parts.count == 3, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      UInt64(parts[1]) != nil
    else {
      return answer(ack, Self.ack)
    }
    let service = shared.engine.services[name]
    // A call of this server also waits here.
    guard parts[0] != shared.link.epoch, let service, let taker = takers[name],
      service.spare(atMost: taker.asking + 1) > taker.asking, !shared.isStopping
    else { return answer(ack, Self.later) }
    let peer = shared.names.talk(parts[0], parts[1])
    let number = nextNumber()
    let call = unsafe TakenCall(
      number,
      of: name,
      from: peer,
      Array(value.payload),
      ack: ack,
      by: taker,
      in: self
    )
    taken[number] = call
    call.ask()
    watchPeers()
  }

  private func answer(_ ack: String, _ text: [UInt8]) {
    shared.link.publish { $0.publish(ack, text) }
  }

  func forget(_ call: TakenCall) {
    if taken.removeValue(forKey: call.number) != nil { shared.engine.releaseLater(call) }
  }

  /// Handles a line about a call, sent to this process's subject with the call's number.
  func hear(_ subject: String, from reply: String, _ message: UnsafeRawBufferPointer) {
    guard let number = subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    if let call = taken[number] { return unsafe call.hear(message) }
    // The first line of a server.
    if case (0, .take)? = unsafe CallTalk.read(message), !reply.isEmpty {
      guard let offer = offers[number] else { return refuse(reply) }
      return offer.take(reply)
    }
    unsafe offers[number]?.hear(message)
  }

  func endTurn() {
    followWorkers()
    offerFresh()
    let wanting = wanting
    self.wanting.removeAll()
    for offer in wanting { offer.sendRequest() }
  }

  /// Checks every second that the peers respond.
  private func watchPeers() {
    guard !isWatching else { return }
    isWatching = true
    shared.after(Self.second) { [weak self] in
      guard let self else { return }
      isWatching = false
      for (_, offer) in offers.sorted(by: { $0.key < $1.key }) { check(offer) }
      for (_, call) in taken.sorted(by: { $0.key < $1.key }) { call.check() }
      for taker in allTakers where taker.isSilent { taker.close() }
      resume()
      if !offers.isEmpty || !taken.isEmpty || !takers.isEmpty { watchPeers() }
    }
  }

  private func check(_ offer: SharedOffer) {
    guard let talk = offer.talk else {
      if hasStream { offer.publish() } else { open() }
      return
    }
    talk.keepAlive()
    if talk.isLost { offer.lost() }
  }
}
