internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Calls that go from server to server: those of this one for which no worker here is free, and those
/// of others that workers here can take.
///
/// A call that waits is put into a stream; servers pull as many from it as their workers have demand
/// for. From then on the two servers talk to each other past the stream.
final class SharedCalls: CallExchange {
  // memory 3
  @safe unowned(unsafe) let shared: SharedSubjects
  private var hasStream = false
  private var isMaking = false
  private var lastNumber: UInt64 = 0
  private var offers: [UInt64: SharedOffer] = [:]
  private var taken: [UInt64: TakenCall] = [:]
  private var takers: [String: CallTaker] = [:]
  /// Services of which it may be that more, or no more, calls can be taken.
  private var noted: [Service] = []
  /// Calls that wait and are not offered: at once where there is no worker, else after a while.
  private var fresh: [Call] = []
  private var late: [Call] = []
  private var isLooking = false
  private var isWaitingForLate = false
  /// Those that may tell their workers how much more is wanted.
  private var wanting: [SharedOffer] = []

  init(_ shared: SharedSubjects) { self.shared = shared }

  static let second: Int64 = 1_000_000_000
  static let ack = Array("+ACK".utf8)
  /// A call that cannot be taken now goes to others, or here after a second.
  private static let later = Array("-NAK {\"delay\":1000000000}".utf8)

  /// How long a call waits for a worker here that is busy before others may have it, in nanoseconds.
  private static let delay: Int64 = 20_000_000
  /// How many calls are offered at a time.
  private static let mostOffers = 4096

  /// The longest argument or value that can be sent.
  var longestValue: Int { shared.link.longestValue }

  /// Where this process is talked to about a call.
  func address(_ number: UInt64) -> String { shared.names.talk(shared.link.epoch, "\(number)") }

  private func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func schedule() { shared.engine.turn.hasStoreWork = true }

  // MARK: The stream

  /// Has the stream made; what waits for it goes on then.
  private func open() {
    guard !hasStream, !isMaking, shared.link.isUp, !shared.isStopping else { return }
    isMaking = true
    shared.makeStream(shared.names.createCalls) { [weak self] reply in
      guard let self else { return }
      isMaking = false
      let error = JetStreamError(reply)
      hasStream = error == nil || error?.number == .nameInUse
      if hasStream { return goOn() }
      shared.after(Self.second) { [weak self] in self?.goOn() }
    }
  }

  /// Offers and takes what there is, since that may have been impossible.
  private func goOn() {
    for name in takers.keys { schedule(name) }
    schedule()
  }

  func streamMayBeGone() {
    hasStream = false
    for taker in takers.values { taker.close() }
    goOn()
  }

  func linkIsUp() {
    for offer in offers.values { offer.talk?.linkIsUp() }
    for call in taken.values { call.linkIsUp() }
    goOn()
  }

  func linkIsAway() {
    hasStream = false
    isMaking = false
    for taker in takers.values { taker.close() }
  }

  /// The server stops: nothing more is taken.
  func stop() {
    for taker in takers.values { taker.close() }
    takers.removeAll()
  }

  // MARK: Calls of this server

  /// A call waits for a worker.
  func waits(_ call: Call, at service: Service) {
    if service.workers.isEmpty {
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
    look()
  }

  func offer(_ number: UInt64) -> SharedOffer? { offers[number] }

  func forget(_ offer: SharedOffer) {
    if offers.removeValue(forKey: offer.number) != nil { shared.engine.releaseLater(offer) }
  }

  func schedule(_ offer: SharedOffer) {
    wanting.append(offer)
    schedule()
  }

  /// Tells a server that a call is not to be had.
  func refuse(_ peer: String) {
    shared.link.publish { $0.publish(peer, Array("0 CANCEL".utf8)) }
  }

  // MARK: Calls of other servers

  /// What workers of `service` can take may have changed.
  func note(_ service: Service) {
    guard !service.isNoted else { return }
    service.isNoted = true
    noted.append(service)
    schedule()
  }

  /// The same, of a service that may be gone.
  func schedule(_ name: String) { shared.engine.services[name].map(note) }

  private func followWorkers() {
    guard shared.link.isUp, !shared.isStopping else { return }
    let services = noted
    noted.removeAll()
    for service in services {
      service.isNoted = false
      guard shared.engine.services[service.name] === service, !service.workers.isEmpty else {
        takers.removeValue(forKey: service.name)?.close()
        continue
      }
      let taker = takers[service.name] ?? CallTaker(service.name, in: self)
      takers[service.name] = taker
      taker.follow(service, hasStream: hasStream)
    }
    if !takers.isEmpty { look() }
  }

  /// The stream is needed by a taker.
  func needStream() { open() }

  /// A call came that was pulled.
  func bring(_ value: NATSValue) {
    guard let name = unsafe shared.names.service(calledAt: text(value.subject)),
      let id = unsafe value.messageID.map({ unsafe text($0) })
    else { return }
    let ack = unsafe text(value.ack)
    takers[name]?.came()
    // The id comes from any client of NATS, and becomes a part of a subject.
    let parts = id.split(separator: ".").map(String.init)
    guard parts.count == 3, parts[0].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      UInt64(parts[1]) != nil
    else {
      return answer(ack, Self.ack)
    }
    let service = shared.engine.services[name]
    // One of this server waits here as well.
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
    look()
  }

  private func answer(_ ack: String, _ text: [UInt8]) {
    shared.link.publish { $0.publish(ack, text) }
  }

  func forget(_ call: TakenCall) {
    if taken.removeValue(forKey: call.number) != nil { shared.engine.releaseLater(call) }
  }

  // MARK: What is said

  /// Something was said about a call, at the subject of this process that has its number.
  func hear(_ subject: String, from reply: String, _ message: UnsafeRawBufferPointer) {
    guard let number = subject.split(separator: ".").last.flatMap({ UInt64($0) }) else { return }
    if let call = taken[number] { return unsafe call.hear(message) }
    // The first that a server says.
    if case (0, .take)? = unsafe CallTalk.read(message), !reply.isEmpty {
      guard let offer = offers[number] else { return refuse(reply) }
      return offer.take(reply)
    }
    unsafe offers[number]?.hear(message)
  }

  // MARK: The turn

  func endTurn() {
    followWorkers()
    offerFresh()
    let wanting = wanting
    self.wanting.removeAll()
    for offer in wanting { offer.sendRequest() }
  }

  /// Looks each second whether whoever is talked with is still there.
  private func look() {
    guard !isLooking else { return }
    isLooking = true
    shared.after(Self.second) { [weak self] in
      guard let self else { return }
      isLooking = false
      for (_, offer) in offers.sorted(by: { $0.key < $1.key }) { look(at: offer) }
      for (_, call) in taken.sorted(by: { $0.key < $1.key }) { call.look() }
      for taker in takers.values where taker.isSilent { taker.close() }
      goOn()
      if !offers.isEmpty || !taken.isEmpty || !takers.isEmpty { look() }
    }
  }

  private func look(at offer: SharedOffer) {
    guard let talk = offer.talk else {
      if hasStream { offer.publish() } else { open() }
      return
    }
    talk.keepAlive()
    if talk.isLost { offer.lost() }
  }
}
