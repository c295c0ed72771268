import FlowRemote
import FlowTestSupport

extension FlowRemote.Settings {
  /// The default settings, but with the tests' patience with a server that a busy machine keeps from greeting.
  static var ofTests: Self {
    var settings = Self()
    settings.patience = .seconds(Patience.seconds)
    return settings
  }
}

extension FlowRemote {
  /// Connects with the settings of tests; the compiler prefers this to `connect(to:settings:)`.
  static func connect(to address: String) async throws(RemoteError) -> FlowRemote {
    try await connect(to: address, settings: .ofTests)
  }

  /// Connects with attempts to connect again within milliseconds, and tells `states`.
  static func test(
    _ address: String,
    states: Arrivals<State> = Arrivals()
  ) async throws -> FlowRemote {
    var settings = Settings.ofTests
    settings.reconnect = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
    settings.stateChanged = { states.add($0) }
    return try await connect(to: address, settings: settings)
  }
}
