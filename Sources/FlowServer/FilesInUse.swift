internal import FlowFiles

/// The settings and names that come from files.
struct FilesInUse {
  /// The configuration without any files.
  let ownConfiguration: Configuration
  var settings: [Setting] = []
  /// The `FILE:LINE` that made each setting.
  var places: [SettingKey: String] = [:]
  var names: Set<String> = []

  init(beside configuration: Configuration) { ownConfiguration = configuration }

  /// The own configuration with the files' settings, except for settled ones.
  var configuration: Configuration {
    var configuration = ownConfiguration
    for setting in settings where !isSettled(setting.key) { configuration.set(setting) }
    return configuration
  }

  /// Whether files may not change it.
  func isSettled(_ key: SettingKey) -> Bool { ownConfiguration.settled.contains(key.rawValue) }
}
