internal import FlowFiles
internal import FlowLanguage

// Who reads whom, as a drawing.
extension WatchReport {
  /// The names that may be known and fit, or the stages of the one that was chosen.
  var graph: Graph {
    if !query.name.isEmpty, access.shows(query.name) {
      switch engine.registry[query.name] {
      case .pipeline(let pipeline) where engine.reads(pipeline.mentions, access):
        return Graph(pipeline.stages)
      case .run(let run) where engine.reads(run.mentions, access):
        return Graph(run.standing.pipeline.stages + [run.standing.lastStage])
      default: break
      }
    }
    return Graph(
      names.told.compactMap { name in
        guard let content = engine.registry[name]?.content else { return nil }
        return (name, content, reads(of: content))
      }
    )
  }

  private func reads(of content: Definition.Content) -> [String] {
    switch content {
    case .pipeline(let pipeline): known(pipeline)
    case .run(let run): known(run.pipeline)
    case .subject, .broken: []
    }
  }
}
