internal import FlowNATS

/// Pulls calls of one service, as many as its workers on this server have demand for.
final class CallTaker: NATSConsumer {
  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  private let service: String
  private let generation: UInt64
  private var isOpen = false
  private var isOpening = false
  /// Counts what was begun, so that what comes late is known as such.
  private var attempt = 0
  private var outstanding = 0
  /// Calls that have come, and whose servers have not said yet that they may be had.
  private(set) var asking = 0
  private var lastHeard: Int64 = 0

  init(_ service: String, in calls: SharedCalls) {
    self.service = service
    self.calls = calls
    generation = calls.shared.nextGeneration()
  }

  /// Calls are for whoever is free first: no more are pulled ahead than this.
  private static let most = 16

  /// Pulls what the workers can take and was not asked for.
  func follow(_ service: Service, hasStream: Bool) {
    let spare = service.spare(atMost: Self.most)
    guard spare > 0 else { return }
    guard hasStream else { return calls.needStream() }
    guard isOpen else { return open() }
    let wanted = spare - outstanding - asking
    guard wanted > 0 else { return }
    if outstanding == 0 { lastHeard = calls.shared.now }
    outstanding += wanted
    let names = calls.shared.names
    let request = names.pull(wanted, by: names.taker(of: self.service), of: JetStream.calls)
    calls.shared.link.pull(request, generation)
  }

  private func open() {
    guard !isOpening else { return }
    isOpening = true
    attempt += 1
    let attempt = attempt
    calls.shared.link.attach(self, generation)
    let request = calls.shared.names.createTaker(of: service)
    calls.shared.link.request(request) { [weak self] reply in
      guard let self, self.attempt == attempt else { return }
      isOpening = false
      isOpen = JetStreamError(reply) == nil
      if isOpen { calls.schedule(service) } else { calls.streamMayBeGone() }
    }
  }

  /// It is to be looked for anew, or not at all.
  func close() {
    calls.shared.link.detach(generation)
    attempt += 1
    isOpen = false
    isOpening = false
    outstanding = 0
  }

  /// Whether calls were asked for, and NATS shows no sign of life.
  var isSilent: Bool { outstanding > 0 && calls.shared.now - lastHeard > Self.patience }

  /// A pull has a sign of life every 5 s.
  private static let patience = 12 * SharedCalls.second

  /// A call has come.
  func came() {
    outstanding = max(0, outstanding - 1)
    lastHeard = calls.shared.now
    calls.schedule(service)
  }

  /// The server of a call that has come is asked for it.
  func beginAsking() { asking += 1 }

  /// That call is with a worker, or not to be had.
  func endAsking() {
    asking -= 1
    calls.schedule(service)
  }

  /// Never happens: calls are brought to all alike.
  func received(_ value: NATSValue) {}

  func received(_ status: NATSHeaders.Status, pending: Int) {
    lastHeard = calls.shared.now
    switch status.code {
    case 100: return
    case 408: outstanding = max(0, outstanding - pending)
    default: close()
    }
    calls.schedule(service)
  }
}
