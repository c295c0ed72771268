package import FlowCore
package import FlowLanguage
package import FlowSubjects
internal import FlowWire

extension Engine: SubjectHost {
  package var stall: Int64 { configuration.timeouts.stall }

  package var subjectHoldLimit: Int { configuration.subjectHoldLimit }

  package var inboxLimit: Int { configuration.demand.inboxLimit }

  package func subject(_ name: String) -> ServerSubject? { registry.subject(name) }

  package func subjects(
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

  /// The cost of joining a subject, in steps of a closure.
  private static let stepsToJoin = 8

  package func keptChanged(by change: Int) { ledger.keptChanged(by: change) }

  package func completed(_ subject: ServerSubject) {
    // With a backend, only the whole subject completes, when its end is read.
    guard let completion = subject.completion, subject.isWhole else { return }
    notify(.completed(name: subject.name, reason: completion.reason))
  }

  package func isTooSlow(_ outlet: Outlet, for subject: ServerSubject) {
    log(
      .warning,
      "too-slow",
      "too slow for \(subject.name): ended \(outlet.owner)",
      [.text("name", subject.name), .text("who", outlet.owner)]
    )
  }

  package func holdsUp(_ outlet: Outlet, for subject: ServerSubject, for nanoseconds: Int64) {
    let milliseconds = Int(nanoseconds / 1_000_000)
    notify(.heldUp(name: subject.name, who: outlet.owner, milliseconds: milliseconds))
  }

  package func deleted(_ subject: ServerSubject) {
    guard subject.isWhole else { return }
    counters.published += subject.published
    subject.backend?.subjectIsRemoved()
  }
}
