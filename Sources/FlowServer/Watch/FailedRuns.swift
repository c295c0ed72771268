internal import FlowLanguage

/// The runs that have failed, by what they read and by where they send.
struct FailedRuns {
  private var byTarget: [String: Run] = [:]
  private var bySource: [String: Run] = [:]

  init(_ engine: Engine) {
    for run in engine.registry.runs where run.failure != nil {
      byTarget[run.standing.target] = byTarget[run.standing.target] ?? run
      for subject in run.standing.pipeline.subjects { bySource[subject] = bySource[subject] ?? run }
    }
  }

  /// One that sent to a subject.
  func sending(to subject: String) -> Run? { byTarget[subject] }

  /// One that read a subject.
  func reading(_ subject: String) -> Run? { bySource[subject] }
}

extension Verdict {
  /// This verdict, saying that nothing comes because of the run `sender`; `clause` says what is wrong with it.
  func quiet(_ clause: String, hint: String, of sender: Run) -> Verdict {
    var verdict = self
    verdict.text = "Nothing comes from \(sender.standing.target): \(clause)."
    verdict.hint = hint
    verdict.name = sender.name
    verdict.mentions = [sender.name]
    verdict.plain = "Nothing comes from \(sender.standing.target)."
    return verdict
  }
}

extension Run {
  /// The clause that says that it waits for a service, without the service's name, which may be hidden.
  var unservedClause: String { "run \(name) waits for a service that has no worker" }

  /// Tells how to find out which service it is.
  var unservedHint: String { "SHOW \(name) says which." }

  /// That it has failed, as a sentence says it, without what may tell of values.
  var failureClause: String { "run \(name) has failed with \(failure?.code ?? "")" }

  /// What is to be done about that.
  var failureHint: String {
    secondsToRestart.map { "It starts again in \($0) s." } ?? "SHOW \(name) says why."
  }
}
