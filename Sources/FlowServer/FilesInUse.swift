internal import FlowFiles

/// What the files that a server uses say, beside what it was made with.
struct FilesInUse {
  /// The configuration where no file says otherwise.
  let ownConfiguration: Configuration
  var settings: [Setting] = []
  /// Where each setting is made, as `FILE:LINE`.
  var places: [SettingKey: String] = [:]
  /// The names that files have defined.
  var names: Set<String> = []

  init(beside configuration: Configuration) { ownConfiguration = configuration }

  /// What the files set that nobody else has settled, and the values the server was made with for all
  /// others.
  var configuration: Configuration {
    var configuration = ownConfiguration
    for setting in settings where !isSettled(setting.key) { configuration.set(setting) }
    return configuration
  }

  /// Whether no file can change it.
  func isSettled(_ key: SettingKey) -> Bool { ownConfiguration.settled.contains(key.rawValue) }
}
