internal import FlowNATS
internal import FlowServer

/// Pulls calls of one service, as many as this server's workers have demand for.
final class CallTaker: NATSConsumer {
  // memory 3
  @safe private unowned(unsafe) let calls: SharedCalls
  private let service: String
  private let generation: UInt64
  private var state = CallTakerState()

  init(_ service: String, in calls: SharedCalls) {
    self.service = service
    self.calls = calls
    generation = calls.shared.nextGeneration()
  }

  /// How many calls are pulled ahead; few, because they should go to whoever is free first.
  private static let most = 16

  private var now: Int64 { calls.shared.now }
  var asking: Int { state.asking }
  var isSilent: Bool { state.isSilent(at: now) }

  func follow(_ service: Service, hasStream: Bool) {
    perform(state.follow(spare: service.spare(atMost: Self.most), hasStream: hasStream, now))
  }

  /// Forgets the consumer, which must be looked up again.
  func close() { perform(state.close()) }

  func came() { perform(state.came(now)) }

  func beginAsking() { state.beginAsking() }

  func endAsking() { perform(state.endAsking()) }

  private func perform(_ steps: [CallTakerState.Step]) { for step in steps { perform(step) } }

  private func perform(_ step: CallTakerState.Step) {
    let (names, link) = (calls.shared.names, calls.shared.link)
    switch step {
    case .makeStream: calls.open()
    case .makeConsumer:
      let attempt = state.attempt
      link.attach(self, generation)
      link.request(names.createTaker(of: service)) { [weak self] reply in
        guard let self else { return }
        perform(state.answered(attempt, isMade: JetStreamError(reply) == nil, now))
      }
    case .pull(let count):
      link.pull(names.pull(count, by: names.taker(of: service), of: JetStream.calls), generation)
    case .schedule: calls.schedule(service)
    case .doubtStream: calls.streamMayBeGone()
    case .detach: link.detach(generation)
    }
  }

  /// Never called: all values go to `SharedCalls.bring`.
  func received(_ value: NATSValue) {}

  func received(_ status: NATSHeaders.Status, pending: Int) {
    perform(state.received(status.code, pending: pending, now))
  }
}
