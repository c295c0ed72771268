import FlowLanguage

/// What the server tells of a stream that is open.
struct StreamFigures {
  let demand: String
  let values: Int
}

/// What a client knows of one stream of values, and what it may be told of it.
final class StreamRecord {
  let expression: String
  /// The values that may come, if the expression is one that the oracle can work out.
  let model: ModelPipeline?
  /// How many values were asked for; nil is no limit.
  var asked: Int? = 0
  private(set) var values: [String] = []
  /// Values that were told as dropped, but for those that a closure has no answer for.
  private(set) var dropped = 0
  private(set) var omitted = 0
  /// Whether it is told what is dropped before the value behind it, and not only at its end.
  var isToldOfDrops = true
  /// The first and the last number of each publisher that has come.
  var places: [String: ClosedRange<Int>] = [:]
  private(set) var end: String?
  /// Whether a `flow=slowest` subject waits for it.
  var holds = true
  /// Whether the server has confirmed that it is open.
  var isOpen = false
  /// How many values had been said to all subjects when it was.
  var openedAfter = 0
  /// How many values of its subject were settled before it was asked for, and said before it was open.
  var settledBefore = 0
  var saidBefore = 0
  /// Opened over an id that may have been in use: what comes may be an older stream's.
  var isDoubtful = false
  /// Whether not all that was asked for may have been meant for it.
  var mayHaveAskedLess = false
  /// The sources and operators in it, each once.
  private(set) lazy var operators: Set<String> = Set(
    expression.split { !$0.isLetter }.map(String.init).filter { OperatorTable.entry($0) != nil }
  )

  /// Whether it reads a subject, or a pipeline, by its name.
  var isOfName: Bool { expression.allSatisfy { $0.isLetter || $0.isNumber } }
  /// A TAKE ends by itself.
  var takes: Int?
  var hasCancelled = false
  /// What it reads, if that is a subject in NATS.
  var reading: StoredReading?
  /// Of a call: how many values its worker has sent.
  var said = 0

  init(_ expression: String) {
    self.expression = expression
    model = ModelPipeline(expression)
  }

  func ask(_ demand: String) {
    // A TAKE gives no more than it takes, whatever is asked for.
    if takes != nil { return }
    asked = Self.sum(of: asked, and: demand)
  }

  /// So much demand with what a REQ adds to it; nil is no limit, and what is no demand adds nothing.
  static func sum(of asked: Int?, and demand: String) -> Int? {
    guard let asked, demand != "max" else { return nil }
    guard let more = Int(demand) else { return demand.allSatisfy(\.isNumber) ? nil : asked }
    let (sum, isTooMuch) = asked.addingReportingOverflow(max(more, 0))
    return isTooMuch || sum == .max ? nil : sum
  }

  /// Takes a value; returns what is wrong with it.
  func value(_ text: String) -> String? {
    if let end { return isDoubtful ? nil : "a value after \(end)" }
    values.append(text)
    if let asked, values.count > asked { return "\(values.count) values, and \(asked) asked for" }
    if isDoubtful { return nil }
    return model?.objection(to: values)
  }

  func drop(_ count: Int, _ reason: String) -> String? {
    if let end { return isDoubtful ? nil : "DROP after \(end)" }
    let reasons = DropReason.allCases.filter { $0 != .inside }.map(\.rawValue)
    guard reasons.contains(reason), count > 0
    else { return "DROP of \(count) for \(reason)" }
    if reason == DropReason.failed.rawValue {
      omitted += count
      guard !isDoubtful, let model, omitted > model.omitted else { return nil }
      return "\(omitted) values without an answer, and \(model.omitted) there are"
    }
    dropped += count
    if !isDoubtful, let model, !model.mayDrop { return "DROP of what drops nothing" }
    return nil
  }

  func finish(_ how: String) -> String? {
    if let end { return isDoubtful ? nil : "\(how) after \(end)" }
    end = how
    if isDoubtful || takes.map({ values.count >= $0 }) ?? false { return nil }
    return model?.objection(to: how, after: values, dropped: dropped, omitted: omitted)
  }

  /// What is wrong if nothing more comes though all have had time enough.
  var omission: String? {
    guard isOpen, end == nil, !isDoubtful, !mayHaveAskedLess else { return nil }
    if let takes, values.count >= takes { return "no end after the \(takes) values to be taken" }
    return model?.omission(values, asked: asked ?? .max)
  }
}
