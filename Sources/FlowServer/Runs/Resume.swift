package import FlowLanguage

/// What happens to a run's values in NATS when another server takes over.
package enum Resume: String {
  /// Each input gives its output exactly once.
  case exact
  /// Inputs since the stages were last empty are repeated, and so are their outputs.
  case again
  /// Inputs are taken once; values inside the stages are lost.
  case fresh

  /// Returns how the run resumes, and why.
  package static func kind(
    of run: RunDefinition,
    isShared: (String) -> Bool,
    keeps: (String) -> Bool
  ) -> (Resume, why: String) {
    let pipeline = run.pipeline
    let sources = pipeline.stages.filter { $0.name == nil }
    guard let source = pipeline.subjects.first, pipeline.subjects.count == 1, sources.count == 1,
      pipeline.patterns.isEmpty, pipeline.stages.first?.name == nil
    else { return (.fresh, "it reads other than one subject") }
    guard isShared(source) else { return (.fresh, "\(source) is not in NATS") }
    guard !keeps(source) else { return (.fresh, "\(source) has a value of its own at first") }
    let stages = pipeline.stages.dropFirst()
    let open = stages.filter { !stateless.contains($0.name ?? "") }
    guard let first = open.first?.name else {
      return (.exact, "each output comes while its value does")
    }
    if let other = open.first(where: { !flattening.contains($0.name ?? "") })?.name {
      return (.fresh, "\(other) may keep values, or make more of one")
    }
    guard open.allSatisfy({ $0.branches.allSatisfy(isFinite) }) else {
      return (.fresh, "what \(first) makes of a value may not end")
    }
    return (.again, "what \(first) makes of a value comes later, and ends")
  }

  /// Whether the publisher for each value ends by itself.
  private static func isFinite(_ branch: [StageDescription]) -> Bool {
    guard let source = branch.first, source.name != nil, !source.text.contains("Timer"),
      source.demand.ends != "never"
    else { return false }
    return branch.allSatisfy { $0.branches.allSatisfy(isFinite) }
  }

  private static let flattening: Set = ["flatMap", "concatMap"]

  /// Operators that give at most one value for each input, at once.
  private static let stateless: Set = [
    "map", "tryMap", "filter", "tryFilter", "compactMap", "tryCompactMap", "replaceNil", "print",
    "handleEvents", "breakpoint", "eraseToAnyPublisher", "setFailureType", "mapError",
  ]
}
