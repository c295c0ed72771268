internal import FlowFiles

/// What the files that a server uses say, beside what it was made with.
struct FilesInUse {
  /// The configuration where no file says otherwise.
  let ownConfiguration: Configuration
  var settings: [Setting] = []
  /// The names that files have defined.
  var names: Set<String> = []

  init(beside configuration: Configuration) { ownConfiguration = configuration }

  /// What the files set, and the values the server was made with for all others.
  var configuration: Configuration {
    var configuration = ownConfiguration
    for setting in settings { configuration.set(setting) }
    return configuration
  }
}
