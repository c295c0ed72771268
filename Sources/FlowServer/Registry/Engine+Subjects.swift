internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// What the subjects of a server need of it.
extension Engine: SubjectHost {
  var stall: Int64 { configuration.stall }

  var subjectHoldLimit: Int { configuration.subjectHoldLimit }

  var inboxLimit: Int { configuration.inboxLimit }

  func subject(_ name: String) -> ServerSubject? { registry.subject(name) }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    if !new {
      let names = registry.subjects(in: [set])
      for name in names { join(name) }
      timeSlice.charge(names.count * Self.stepsToJoin)
    }
    return registry.setReaders.add(set, join)
  }

  /// To join a subject is as much work as so many steps.
  private static let stepsToJoin = 8

  func keptChanged(by change: Int) { ledger.keptChanged(by: change) }

  func completed(_ subject: ServerSubject) {
    // A shared subject completes when its end is read, not when nothing more is taken here.
    guard let completion = subject.completion, !subject.isEntrance, !isOfRun(subject) else {
      return
    }
    notify(.completed(name: subject.name, reason: completion.reason))
  }

  func isTooSlow(_ outlet: Outlet, for subject: ServerSubject) {
    log(
      .warning,
      "too-slow",
      "too slow for \(subject.name): ended \(outlet.owner)",
      [.text("name", subject.name), .text("who", outlet.owner)]
    )
  }

  func deleted(_ subject: ServerSubject) {
    guard !subject.isEntrance, !isOfRun(subject) else { return }
    counters.published += subject.published
    if shared?[subject.name]?.subject === subject { shared?.remove(subject.name) }
  }

  /// Whether a run reads it instead of the subject of that name.
  private func isOfRun(_ subject: ServerSubject) -> Bool {
    guard subject.settings.nats != nil, let shared = shared?[subject.name] else { return false }
    return shared.subject !== subject
  }

  /// The subject, and what runs read instead of it: all that has subscriptions.
  func readable(_ subject: ServerSubject) -> [ServerSubject] {
    guard subject.settings.nats != nil else { return [subject] }
    return [subject] + (shared?[subject.name]?.readerInlets.map(\.subject) ?? [])
  }

  /// Where values for the subject come in: elsewhere than they go out, if it lives in NATS.
  func entrance(to subject: ServerSubject) -> ServerSubject {
    guard subject.settings.nats != nil else { return subject }
    return shared?[subject.name]?.entrance ?? subject
  }
}
