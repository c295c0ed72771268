internal import FlowLanguage

extension Verdict {
  /// Adds `text` about `run`; a client that may not know the run sees only `text`.
  func blaming(_ run: Run, _ text: String, _ fault: RunFault) -> Verdict {
    var verdict = self
    verdict.text = "\(text): \(fault.clause)."
    verdict.hint = fault.hint
    verdict.name = run.name
    verdict.mentions = [run.name]
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

/// What is wrong with a run, and what would help.
struct RunFault {
  let clause: String
  let hint: String
}

extension Run {
  /// It waits for a service, whose name may be hidden.
  var unserved: RunFault {
    RunFault(
      clause: "run \(name) waits for a service that has no worker",
      hint: "SHOW \(name) says which."
    )
  }

  /// It has failed; the failure's message may show values.
  var failed: RunFault {
    RunFault(
      clause: "run \(name) has failed with \(failure?.code ?? "")",
      hint: secondsToRestart.map { "It starts again in \($0) s." } ?? "SHOW \(name) says why."
    )
  }
}
