public import FlowLanguage
internal import Spelling

/// What flows where: the names of files, or the stages of a pipeline.
public struct Graph {
  /// How it can be written.
  public enum Form: String, CaseIterable, Sendable {
    case text, dot, mermaid, json
  }

  enum Shape: String {
    case subject, pipeline, run, stage
  }

  struct Node {
    let label: String
    let shape: Shape
  }

  struct Edge {
    let from: Int
    let to: Int
  }

  private(set) var nodes: [Node] = []
  private(set) var edges: [Edge] = []

  /// The names of files: who reads whom, and what runs send to.
  public init(_ definitions: Definitions) {
    self.init(definitions.all.map { ($0.name, $0.content, $0.reads) })
  }

  /// Names, what they stand for, and what they read.
  package init(_ names: [(name: String, content: Definition.Content, reads: [String])]) {
    var numbers: [String: Int] = [:]
    func number(_ name: String, _ shape: Shape) -> Int {
      if let number = numbers[name] { return number }
      numbers[name] = nodes.count
      nodes.append(Node(label: name, shape: shape))
      return nodes.count - 1
    }
    for (name, content, reads) in names {
      let own = number(name, content.shape)
      for source in reads { edges.append(Edge(from: number(source, .subject), to: own)) }
      if case .run(let standing) = content {
        for output in standing.outputs {
          edges.append(Edge(from: own, to: number(output, .subject)))
        }
      }
    }
  }

  /// The stages of a pipeline, with the publishers below them.
  public init(_ stages: [StageDescription]) {
    _ = add(stages)
  }

  /// - Returns: the number of the last stage.
  private mutating func add(_ stages: [StageDescription]) -> Int? {
    var last: Int?
    for stage in stages {
      let text = stage.text.split { $0.isWhitespace }.joined(separator: " ")
      let label = text.excerpt(40)
      let isSubject = stage.name == nil && stage.branches.isEmpty
      let own = nodes.count
      nodes.append(Node(label: label, shape: isSubject ? .subject : .stage))
      if let last { edges.append(Edge(from: last, to: own)) }
      for branch in stage.branches {
        if let end = add(branch) { edges.append(Edge(from: end, to: own)) }
      }
      last = own
    }
    return last
  }
}

extension Definition.Content {
  fileprivate var shape: Graph.Shape {
    switch self {
    case .subject, .broken: .subject
    case .pipeline: .pipeline
    case .run: .run
    }
  }
}

// MARK: - Writing

extension Graph {
  /// The graph in lines.
  public func lines(_ form: Form) -> [String] {
    switch form {
    case .text: text
    case .dot: dot
    case .mermaid: mermaid
    case .json: [json]
    }
  }

  /// A line each: what comes in, the node, and what it goes to if that is not said by another line.
  private var text: [String] {
    nodes.enumerated().map { number, node in
      let sources = edges.filter { $0.to == number }.map { nodes[$0.from].label }
      let targets = edges.filter { $0.from == number }.map { nodes[$0.to].label }
      let from = sources.isEmpty ? "" : "  ← \(sources.joined(separator: ", "))"
      let to = targets.isEmpty ? "" : "  → \(targets.joined(separator: ", "))"
      return node.label + from + to
    }
  }

  private var dot: [String] {
    let shapes: [Shape: String] = [.subject: "cds", .pipeline: "box", .run: "box", .stage: "box"]
    var lines = ["digraph flow {", "  rankdir=LR;"]
    for (number, node) in nodes.enumerated() {
      let label = node.label.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      let style = node.shape == .run ? ", style=bold" : ""
      lines.append(
        "  n\(number) [label=\"\(label)\", shape=\(shapes[node.shape] ?? "box")\(style)];"
      )
    }
    lines += edges.map { "  n\($0.from) -> n\($0.to);" }
    return lines + ["}"]
  }

  /// One object: the edges tell of nodes by their places.
  private var json: String {
    let nodes = nodes.map { node in
      "{\"label\":\(JSONText.string(node.label)),\"kind\":\"\(node.shape.rawValue)\"}"
    }
    let edges = edges.map { "{\"from\":\($0.from),\"to\":\($0.to)}" }
    return "{\"nodes\":[\(nodes.joined(separator: ","))],"
      + "\"edges\":[\(edges.joined(separator: ","))]}"
  }

  private var mermaid: [String] {
    var lines = ["flowchart LR"]
    for (number, node) in nodes.enumerated() {
      let label = node.label.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
        .replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      let (open, close) =
        switch node.shape {
        case .subject: ("([", "])")
        case .run: ("[[", "]]")
        case .pipeline, .stage: ("[", "]")
        }
      lines.append("  n\(number)\(open)\"\(label)\"\(close)")
    }
    return lines + edges.map { "  n\($0.from) --> n\($0.to)" }
  }
}
