internal import FlowNATS

/// Pulls calls of one service, as many as this server's workers have demand for.
final class CallTaker: NATSConsumer {
  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  private let service: String
  private let generation: UInt64
  private var isOpen = false
  private var isOpening = false
  /// Identifies the present attempt, so that late answers are ignored.
  private var attempt = 0
  private var outstanding = 0
  /// Pulled calls that wait for their servers' consent.
  private(set) var asking = 0
  private var lastHeard: Int64 = 0

  init(_ service: String, in calls: SharedCalls) {
    self.service = service
    self.calls = calls
    generation = calls.shared.nextGeneration()
  }

  /// How many calls are pulled ahead; few, because they should go to whoever is free first.
  private static let most = 16

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

  /// Forgets the consumer, which must be looked up again.
  func close() {
    calls.shared.link.detach(generation)
    attempt += 1
    isOpen = false
    isOpening = false
    outstanding = 0
  }

  /// Whether calls were requested and NATS sends nothing, not even a heartbeat.
  var isSilent: Bool { outstanding > 0 && calls.shared.now - lastHeard > Self.patience }

  /// NATS sends a heartbeat every 5 s during a pull.
  private static let patience = 12 * SharedCalls.second

  func came() {
    outstanding = max(0, outstanding - 1)
    lastHeard = calls.shared.now
    calls.schedule(service)
  }

  /// Counts a call that its server was asked for.
  func beginAsking() { asking += 1 }

  /// Counts a call that has a worker, or cannot be had.
  func endAsking() {
    asking -= 1
    calls.schedule(service)
  }

  /// Never called: all values go to `SharedCalls.bring`.
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
