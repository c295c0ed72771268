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
      guard entry.labels.contains(label) || entry.ignored.contains(label) else {
        let place = argument.range.lowerBound..<argument.range.lowerBound + label.count
        if let other = ForeignWord.labels[label]?.first(where: entry.labels.contains) {
          let message = "\(entry.name) has no argument \"\(label)\""
          throw Diagnostic(message, at: place, suggestion: other)
        }
        throw .unknown(
          "argument",
          label,
          of: entry.name,
          at: place,
          among: entry.labels,
          instead: entry.signature
        )
      }
      guard seen.insert(label).inserted else {
        throw Diagnostic("\"\(label)\" is given twice", at: argument.range)
      }
    }
    try checkOrder()
    let unlabelled = list.filter { $0.label == nil }
    guard unlabelled.count <= most else { throw tooMany(unlabelled, most) }
  }

  private func tooMany(_ unlabelled: [Argument], _ most: Int) -> Diagnostic {
    let trails = unlabelled.last?.value.isFunction ?? false
    if most == 1, trails, !entry.labels.isEmpty, unlabelled.count == list.count {
      return missingLabel(unlabelled[0].value)
    }
    let message =
      switch unlabelled[most].value.kind {
      case .closure where most == 0: "\(entry.name) takes no closure"
      default:
        if most > 0 {
          "too many arguments"
        } else {
          entry.labels.isEmpty ? "\(entry.name) takes no arguments" : "missing label"
        }
      }
    if message == "missing label" { return missingLabel(unlabelled[most].value) }
    return Diagnostic("\(message): \(entry.signature)", at: unlabelled[most].range)
  }

  /// What is said of a value without its label; it is taken for the first that is not there.
  private func missingLabel(_ value: Syntax) -> Diagnostic {
    let label = entry.labels.first { labelled($0) == nil }
    let text = SyntaxPrinter.print(value)
    return Diagnostic(
      "missing label: \(entry.signature)",
      at: value.range,
      suggestion: label.flatMap { text.count > 60 ? nil : "\($0): \(text)" }
    )
  }

  /// Labels come in the order of the signature, as in Combine; a closure without one may trail.
  private func checkOrder() throws(Diagnostic) {
    var last: (label: String, place: Int)?
    for argument in list where argument.label != nil || !argument.value.isFunction {
      let place = argument.label.flatMap(entry.place) ?? -1
      if let last, place < last.place {
        let what = argument.label.map { "\"\($0):\"" } ?? "the argument without a label"
        throw Diagnostic(
          "\(what) must come before \"\(last.label):\" in \(entry.signature)",
          at: argument.range
        )
      }
      if let label = argument.label { last = (label, place) }
    }
  }

  /// The arguments without a label.
  var unlabelled: [Syntax] { list.filter { $0.label == nil }.map(\.value) }

  /// The argument called `label`, if it is given.
  func labelled(_ label: String) -> Syntax? { list.first { $0.label == label }?.value }

  /// The argument called `label`, which has to be given.
  func required(_ label: String) throws(Diagnostic) -> Syntax {
    if let syntax = labelled(label) { return syntax }
    guard let bare = list.first(where: { $0.label == nil && !$0.value.isFunction }) else {
      throw missing("\"\(label):\"")
    }
    throw missingLabel(bare.value)
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
    default: throw Diagnostic("expected a closure: \(entry.signature)", at: syntax.range)
    }
  }

  func missing(_ what: String) -> Diagnostic {
    Diagnostic("\(entry.name) needs \(what): \(entry.signature)", at: range)
  }
}
