internal import FlowLanguage

extension Verdict {
  /// This verdict, saying that `text` holds because of `run`; a client that may not know the run reads `text` alone.
  func blaming(_ run: Run, _ text: String, _ fault: RunFault) -> Verdict {
    var verdict = self
    verdict.text = "\(text): \(fault.clause)."
    verdict.hint = fault.hint
    verdict.name = run.name
    verdict.mentions = [run.name]
    verdict.plain = "\(text)."
    return verdict
  }

  /// This verdict, with `reader` as the one that sets the pace.
  func blaming(_ reader: SlowReader) -> Verdict {
    var verdict = self
    (verdict.end, verdict.stream, verdict.name) = (reader.label, reader.stream, reader.name)
    (verdict.mentions, verdict.person) = (reader.mentions, reader.person)
    return verdict
  }
}

/// What is wrong with a run, as a sentence says it, and what is to be done about that.
struct RunFault {
  let clause: String
  let hint: String
}

extension Run {
  /// It waits for a service, the name of which may be hidden.
  var unserved: RunFault {
    RunFault(
      clause: "run \(name) waits for a service that has no worker",
      hint: "SHOW \(name) says which."
    )
  }

  /// It has failed; the message of the failure may tell of values.
  var failed: RunFault {
    RunFault(
      clause: "run \(name) has failed with \(failure?.code ?? "")",
      hint: secondsToRestart.map { "It starts again in \($0) s." } ?? "SHOW \(name) says why."
    )
  }
}
