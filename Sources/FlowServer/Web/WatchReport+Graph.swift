internal import FlowFiles
internal import FlowLanguage

extension WatchReport {
  /// The stages of the watched name, or all readable names that match the filter.
  var graph: Graph {
    if gate.reads(query.name) {
      switch engine.registry[query.name]?.content {
      case .pipeline(let pipeline) where gate.seesInside(pipeline): return Graph(pipeline.stages)
      case .run(let run) where gate.seesInside(run):
        return Graph(run.pipeline.stages + [run.lastStage])
      default: break
      }
    }
    return Graph(names.told.compactMap(arrows(of:)))
  }

  /// The definition `name`, with the names that it reads.
  private func arrows(
    of name: String
  ) -> (name: String, content: Definition.Content, reads: [String])? {
    switch engine.registry[name]?.content {
    case .pipeline(let pipeline): (name, .pipeline(pipeline), sources(of: pipeline))
    // With a hidden inside, the run is drawn as a pipeline, without an arrow to its target.
    case .run(let run) where !gate.seesInside(run): (name, .pipeline(run.pipeline), [])
    case .run(let run): (name, .run(run), sources(of: run.pipeline))
    case .subject(let settings): (name, .subject(settings), [])
    case .broken, nil: nil
    }
  }
}
