// Dead letters of runs in memory.
extension Play {
  /// Each value that a run has left out until its end is a letter, once.
  func checkLetters() {
    guard !oracle.isUnsteady else { return }
    let letters = told("LIST subjects").map(Row.init)
    for row in told("LIST runs").map(Row.init) where row.words.count > 1 {
      let name = row.words[1]
      // Those of an earlier run by this name would be there, too.
      guard oracle.definedRuns[name] == 1 else { continue }
      check(letters, of: name, told("SHOW \(name)").map(Row.init))
    }
  }

  private func check(_ letters: [Row], of run: String, _ shown: [Row]) {
    guard let definition = shown.first(where: { $0.words.first == "definition" }),
      let subject = definition["failed"], let figures = shown.first(where: { $0["state"] != nil }),
      let state = figures["state"], state == "finished" || state == "failed",
      let row = letters.first(where: { $0.words.dropFirst().first == subject })
    else { return }
    oracle.cover("run with letters \(state)")
    let (failed, sent) = (figures.sum(of: ["failed"]), row.sum(of: ["published"]))
    let expected = failed - figures.sum(of: ["lost-letters"])
    // What a stage with `try` has failed on is a letter that is not left out.
    guard sent == expected || state == "failed" && sent == expected + 1 else {
      return oracle.complain("\(run): \(sent) letters of \(expected) in \(subject)")
    }
    guard state == "finished", let model = Self.model(of: definition.text) else { return }
    if model.areAllOmitted ? failed != model.omitted : failed > model.omitted {
      oracle.complain("\(run): \(failed) left out of \(model.omitted): \(definition.text)")
    }
  }

  /// What the pipeline in the definition of a run makes.
  private static func model(of definition: String) -> ModelPipeline? {
    guard let start = definition.firstRange(of: " = ")?.upperBound else { return nil }
    let text = definition[start...]
    let ends = [".assign(to:", ".subscribe("].compactMap { text.firstRange(of: $0)?.lowerBound }
    return ends.min().flatMap { ModelPipeline(String(text[..<$0])) }
  }
}
