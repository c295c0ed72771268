/// The arguments of a call, checked against the signature of what is called.
struct Arguments {
  let entry: OperatorEntry
  let range: Range<Int>
  private let list: [Argument]

  init(
    _ list: [Argument],
    of entry: OperatorEntry,
    at range: Range<Int>,
    unlabelled most: Int
  ) throws(Diagnostic) {
    self.entry = entry
    self.range = range
    self.list = list
    var seen: Set<String> = []
    for argument in list {
      guard let label = argument.label else { continue }
      guard entry.labels.contains(label) || entry.ignores(label) else {
        throw .unknown(
          "argument of \(entry.name) called",
          label,
          at: argument.range.lowerBound..<argument.range.lowerBound + label.count,
          among: entry.labels
        )
      }
      guard seen.insert(label).inserted else {
        throw Diagnostic("\"\(label)\" is given twice", at: argument.range)
      }
    }
    let unlabelled = list.filter { $0.label == nil }
    guard unlabelled.count <= most else {
      if most == 0, !entry.labels.isEmpty {
        throw Diagnostic("a label is missing: \(entry.signature)", at: unlabelled[0].range)
      }
      throw Diagnostic(
        "\(entry.name) does not take that many arguments: \(entry.signature)",
        at: unlabelled[most].range
      )
    }
  }

  /// The arguments without a label.
  var unlabelled: [Syntax] { list.filter { $0.label == nil }.map(\.value) }

  /// The argument called `label`, if it is given.
  func labelled(_ label: String) -> Syntax? { list.first { $0.label == label }?.value }

  /// The argument called `label`, which has to be given.
  func required(_ label: String) throws(Diagnostic) -> Syntax {
    guard let syntax = labelled(label) else { throw missing("\"\(label):\"") }
    return syntax
  }

  /// The first argument without a label, which has to be given.
  func first(_ what: String) throws(Diagnostic) -> Syntax {
    guard let syntax = unlabelled.first else { throw missing(what) }
    return syntax
  }

  /// The last argument without a label, or the one called `label`: a closure.
  func function(_ label: String? = nil) throws(Diagnostic) -> Syntax {
    guard let syntax = label.flatMap(labelled) ?? unlabelled.last else {
      throw missing("a closure")
    }
    switch syntax.kind {
    case .closure, .keyPath: return syntax
    default: throw Diagnostic("\(entry.name) needs a closure here", at: syntax.range)
    }
  }

  func missing(_ what: String) -> Diagnostic {
    Diagnostic("\(entry.name) needs \(what): \(entry.signature)", at: range)
  }
}
