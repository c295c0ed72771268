/// What there is to know about one source or operator.
public struct OperatorEntry: Sendable {
  /// The name, as in the text of a pipeline.
  public let name: String
  /// How it is written, with its labels.
  public let signature: String
  /// What it does, in one line.
  public let summary: String
  /// What becomes of demand: one row, or one for each form of the arguments.
  public let demands: [StageDemand]
  /// A line that uses it.
  public let example: String
  /// What it does with values over time; `nil` where that needs a server.
  public let marbles: MarbleExample?

  /// Where it stands.
  public let role: Role

  /// Where something may stand in a pipeline.
  public enum Role: Sendable {
    /// At the beginning.
    case source
    /// Behind a publisher.
    case stage
    /// At the end of a run.
    case ending
  }

  /// What is asked of upstream, in one line.
  public var demand: String {
    if Set(demands.map(\.asks)).count == 1 { return demands[0].general.asks }
    return demands.map { demand in
      let asks = demand.general.asks
      return demand.form.map { "\($0): \(asks)" } ?? asks
    }
    .joined(separator: "; ")
  }

  /// Whether Combine has an argument of this label, too, that says nothing here.
  func ignores(_ label: String) -> Bool {
    switch label {
    case "options": !["scheduler", "on", "using"].allSatisfy { !labels.contains($0) }
    case "tolerance": ["delay", "Timer"].contains(name)
    default: false
    }
  }

  /// What is said where its name stands alone.
  func withoutArguments(at range: Range<Int>) -> Diagnostic {
    let what = signature == "\(name)()" ? "parentheses" : "arguments"
    return Diagnostic("\(name) needs its \(what): \(signature)", at: range)
  }

  /// Where an argument of this label stands among the others.
  func place(of label: String) -> Int? {
    switch label {
    case "tolerance": return 1
    case "options":
      let before = labels.lastIndex { ["scheduler", "on", "using", "in"].contains($0) }
      return before.map { 2 * $0 + 1 }
    default: return labels.firstIndex(of: label).map { 2 * $0 }
    }
  }

  /// The labels in the signature.
  var labels: [String] {
    var labels: [String] = []
    var word = ""
    var depth = 0
    for character in signature {
      switch character {
      case "(": depth += 1
      case ")": depth -= 1
      case ":" where depth == 1: labels.append(word)
      default: break
      }
      word = character.isLetter ? word + String(character) : ""
    }
    return labels
  }
}

extension OperatorEntry: CustomStringConvertible {
  public var description: String { name }
}
