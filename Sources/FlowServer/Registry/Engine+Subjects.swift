internal import FlowSubjects

/// What the subjects of a server need of it.
extension Engine: SubjectHost {
  var stall: Int64 { configuration.stall }

  var subjectHoldLimit: Int { configuration.subjectHoldLimit }

  var inboxLimit: Int { configuration.inboxLimit }

  func subject(_ name: String) -> ServerSubject? { registry.subject(name) }

  func keptChanged(by change: Int) { ledger.keptChanged(by: change) }

  func completed(_ subject: ServerSubject) {
    guard let completion = subject.completion else { return }
    notify(.completed(name: subject.name, reason: completion.reason))
  }

  func deleted(_ subject: ServerSubject) { counters.published += subject.published }
}
