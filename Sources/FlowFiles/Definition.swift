public import FlowLanguage
public import FlowWire

/// A subject, pipeline or run of a file, checked.
public struct Definition {
  /// What the name stands for.
  public enum Content {
    case subject(SubjectSettings)
    case pipeline(Pipeline)
    case run(RunDefinition)
    /// What is wrong with it has been told; others may refer to it all the same.
    case broken

    /// The word of its kind.
    public var kind: String {
      switch self {
      case .subject: "subject"
      case .pipeline: "pipeline"
      case .run: "run"
      case .broken: "broken"
      }
    }

    /// Whether the text of both means the same, where they stand.
    public func isSame(as other: Self) -> Bool {
      switch (self, other) {
      case (.subject(let a), .subject(let b)): a.agrees(with: b)
      case (.pipeline(let a), .pipeline(let b)): a.isSame(as: b)
      case (.run(let a), .run(let b)):
        a.text == b.text && a.target == b.target && a.restart == b.restart
          && a.failed == b.failed
          && a.pipeline.isSame(as: b.pipeline)
      default: false
      }
    }
  }

  public let name: String
  public let content: Content
  /// The names that its text mentions as sources, in their order.
  public let reads: [String]
  /// The file that it stands in.
  public let file: FlowFile
  public let line: LogicalLine
  /// Where its expression begins in the line, in characters from 0.
  public let offset: Int

  /// The word of its kind.
  public var kind: String { content.kind }

  /// The pipeline, that of a run without its ending.
  public var pipeline: Pipeline? {
    switch content {
    case .pipeline(let pipeline): pipeline
    case .run(let standing): standing.pipeline
    case .subject, .broken: nil
    }
  }

  /// What is to be said of the whole of it.
  public func finding(
    _ severity: Finding.Severity,
    code: String? = nil,
    _ message: String
  ) -> Finding {
    file.finding(severity, code: code, message, in: line, at: 0, length: line.text.count)
  }
}

extension Pipeline {
  /// Whether both have the same text and the same stages, those of inlined pipelines included.
  public func isSame(as other: Pipeline) -> Bool { text == other.text && stages == other.stages }
}
