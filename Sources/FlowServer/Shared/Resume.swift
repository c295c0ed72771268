internal import FlowLanguage

/// What comes of the values of a run into NATS when another server goes on with it.
enum Resume: String {
  /// Each value that comes in gives its output once, whatever server dies.
  case exact
  /// What came in is taken once; what its stages held goes with the server that held it.
  case fresh

  /// How the run goes on, and why.
  static func kind(
    of run: RunDefinition,
    isShared: (String) -> Bool,
    keeps: (String) -> Bool
  ) -> (Resume, why: String) {
    let pipeline = run.pipeline
    let sources = pipeline.stages.filter { $0.name == nil }
    guard let source = pipeline.subjects.first, pipeline.subjects.count == 1, sources.count == 1,
      pipeline.stages.first?.name == nil
    else { return (.fresh, "it reads other than one subject") }
    guard isShared(source) else { return (.fresh, "\(source) is not in NATS") }
    guard !keeps(source) else { return (.fresh, "\(source) has a value of its own at first") }
    let other = pipeline.stages.dropFirst().first {
      !stateless.contains($0.name ?? "") || !$0.branches.isEmpty
    }
    if let name = other?.name { return (.fresh, "\(name) may keep values, or make more of one") }
    return (.exact, "each output comes while its value does")
  }

  /// The operators that give at most one value for each, while it comes.
  private static let stateless: Set = [
    "map", "tryMap", "filter", "tryFilter", "compactMap", "tryCompactMap", "replaceNil", "print",
    "handleEvents", "breakpoint", "eraseToAnyPublisher", "setFailureType", "mapError",
  ]
}
