internal import FlowLanguage

/// A run from which nothing comes, why, and what would help.
struct RunFault {
  let run: Run
  let clause: String
  let hint: String

  /// It has failed; the failure's message may show values.
  static func failed(_ run: Run) -> RunFault {
    RunFault(
      run: run,
      clause: "has failed with \(run.failure?.code ?? "")",
      hint: run.secondsToRestart.map { "It starts again in \($0) s." }
        ?? "SHOW \(run.name) says why."
    )
  }

  /// It waits for a service, whose name may be hidden.
  static func unserved(_ run: Run) -> RunFault {
    RunFault(
      run: run,
      clause: "waits for a service that has no worker",
      hint: "SHOW \(run.name) says which."
    )
  }
}

extension Verdict {
  /// Adds the reason for `text`; a client that may not know the run sees only `text`.
  func blaming(_ fault: RunFault, _ text: String) -> Verdict {
    var verdict = self
    verdict.text = "\(text): run \(fault.run.name) \(fault.clause)."
    verdict.hint = fault.hint
    verdict.name = fault.run.name
    verdict.mentions = [fault.run.name]
    verdict.plain = "\(text)."
    return verdict
  }

  /// Adds `reader` as the one that limits the speed.
  func blaming(_ reader: SlowReader) -> Verdict {
    var verdict = self
    (verdict.end, verdict.stream, verdict.name) = (reader.label, reader.stream, reader.name)
    (verdict.mentions, verdict.person) = (reader.mentions, reader.person)
    return verdict
  }
}
