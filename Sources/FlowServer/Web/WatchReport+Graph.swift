internal import FlowFiles
internal import FlowLanguage

// Who reads whom, as a drawing.
extension WatchReport {
  /// The names that may be read and fit, or the stages of the one that was chosen.
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

  /// What is called `name`, and what it reads.
  private func arrows(
    of name: String
  ) -> (name: String, content: Definition.Content, reads: [String])? {
    switch engine.registry[name]?.content {
    case .pipeline(let pipeline): (name, .pipeline(pipeline), sources(of: pipeline))
    // From one whose inside is hidden no arrow leads to where it sends.
    case .run(let run) where !gate.seesInside(run): (name, .pipeline(run.pipeline), [])
    case .run(let run): (name, .run(run), sources(of: run.pipeline))
    case .subject(let settings): (name, .subject(settings), [])
    case .broken, nil: nil
    }
  }
}
