internal import FlowFiles
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

extension SharedSubjects {
  static func holds(_ settings: SubjectSettings) -> Bool { settings.nats != nil }

  static func refusal(of name: String, in configuration: Configuration) -> String? {
    if configuration.nats.servers.isEmpty {
      return
        "on=nats needs a NATS; start the server with --nats HOST:PORT, or write set nats HOST:PORT in a file"
    }
    guard JetStream.isOwn(name) else { return nil }
    return
      "\(JetStream.names) and \(JetStream.leases) are Flow's own in NATS; call the subject something else"
  }

  static func isUsed(in configuration: Configuration) -> Bool {
    !configuration.nats.servers.isEmpty && configuration.nats.connects
  }

  func makeSubject(
    _ name: String,
    _ settings: SubjectSettings,
    at definition: UInt64?
  ) -> ServerSubject {
    add(name, settings, at: definition).subject
  }

  func carries(_ run: RunDefinition) -> Bool { run.isShared { self[$0] != nil } }

  func makeBackend(of run: Run, at definition: UInt64?) -> any RunBackend {
    SharedRun(run, at: definition, in: self)
  }

  var calls: (any CallExchange)? { sharedCalls }

  var unreadiness: String? { link.isUp ? nil : "NATS is away" }

  func unanswered(_ name: String) -> DefinitionError {
    DefinitionError(.away, "NATS has not answered; \(name) may or may not have been deleted")
  }

  func defines(_ name: String) -> Bool { definitions[name]?.line != nil }
}

extension RunEntry {
  /// Parses an entry; nil if the run was deleted.
  init?(_ entry: SharedNames.Entry) {
    guard let text = entry.line else { return nil }
    self.init(text: text)
  }
}

extension Run {
  var shared: SharedRun? { backend as? SharedRun }
}
