import FlowRemote
import FlowTestSupport

extension FlowRemote {
  /// Connects with attempts to connect again within milliseconds, and tells `states`.
  static func test(
    _ address: String,
    states: Arrivals<State> = Arrivals()
  ) async throws -> FlowRemote {
    var settings = Settings()
    settings.reconnect = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
    settings.stateChanged = { states.add($0) }
    return try await connect(to: address, settings: settings)
  }
}
