/// What there is to know about one source or operator.
public final class OperatorEntry: Sendable {
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
  /// What it does with values over time, by each of its forms; empty where that needs a server.
  public let marbles: [MarbleExample]
  /// How it is written, and what makes it.
  let form: Form
  /// The labels of arguments that Combine has, too, and that say nothing here.
  let ignored: [String]
  /// What EXPLAIN, lint and the compiler go by.
  let traits: Traits
  /// By how much it holds back a value.
  let delay: Delay
  /// What limits how many values a second come out.
  let rate: RateLimit?
  /// What it takes in memory as long as it runs.
  let price: StagePrice

  init(
    signature: String,
    summary: String,
    demands: [StageDemand],
    example: String,
    marbles: [MarbleExample],
    form: Form,
    ignored: [String] = [],
    traits: Traits = [],
    delay: Delay = .none,
    rate: RateLimit? = nil,
    price: StagePrice = 0
  ) {
    name = String(signature.prefix { $0.isLetter })
    self.signature = signature
    self.summary = summary
    self.demands = demands
    self.example = example
    self.marbles = marbles
    self.form = form
    self.ignored = ignored
    self.traits = traits
    self.delay = delay
    self.rate = rate
    self.price = price
  }

  /// Where something may stand in a pipeline.
  public enum Role: Sendable {
    /// At the beginning.
    case source
    /// Behind a publisher.
    case stage
    /// At the end of a run.
    case ending
  }

  /// Where it stands.
  public var role: Role {
    switch form {
    case .source, .property, .head: .source
    case .stage, .tail: .stage
    case .ending: .ending
    }
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

  /// What is said where its name stands alone.
  func withoutArguments(at range: Range<Int>) -> Diagnostic {
    let what = signature == "\(name)()" ? "parentheses" : "arguments"
    return Diagnostic("\(name) needs \(what): \(signature)", at: range)
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
  package var labels: [String] {
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

extension OperatorEntry {
  typealias CompileSource =
    @Sendable (Compiler) -> (SourceCall, Scope) throws(Diagnostic) -> CompiledStage
  typealias CompileStage =
    @Sendable (Compiler) -> (StageCall, Scope) throws(Diagnostic) -> CompiledStage
  typealias CompileTail = @Sendable (Compiler) -> (Tail, Scope) throws(Diagnostic) -> Compiled
  typealias CompileEnding = @Sendable (SourceCall) throws(Diagnostic) -> RunDefinition.End

  /// How something is written, and what makes it.
  enum Form: Sendable {
    /// A call by itself, as `Just(1)`.
    case source(CompileSource)
    /// A property of a value, as `[1, 2].publisher`.
    case property(CompileTail)
    /// A source that its tail makes, as `Timer.publish(every: 1).autoconnect()`.
    case head
    /// A call behind a publisher.
    case stage(CompileStage)
    /// One with the call before it, as `map { … }.switchToLatest()`.
    case tail(CompileTail)
    /// The last call of a run.
    case ending(CompileEnding)
  }

  /// By how much a stage holds back each value.
  enum Delay: Sendable {
    case none
    /// The time that the argument of this label says.
    case constant(String)
    case varying
  }

  /// What limits how many values a second come out of a stage.
  enum RateLimit: Sendable {
    /// So many publishers at a time, each of which takes its time.
    case publishers
    /// The time of the argument of this label passes between two values.
    case ticks(String)
    /// So many values in the time of the argument `per`.
    case pace
  }
}

extension OperatorEntry: CustomStringConvertible {
  public var description: String { name }
}
