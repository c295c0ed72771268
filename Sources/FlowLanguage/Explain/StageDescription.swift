/// One stage of a pipeline: how it is written, and what it does with demand.
public struct StageDescription: Equatable, Sendable {
  /// The stage as written: a source, or an operator with its arguments.
  public let text: String
  /// The name of the source or operator; a subject has none.
  public let name: String?
  /// What it does with demand, with its arguments filled in.
  public let demand: StageDemand
  /// The publishers that the stage subscribes to besides its upstream, each as its stages.
  public private(set) var branches: [[StageDescription]]
  /// The name of the pipeline that it was inlined from.
  public private(set) var pipeline: String?
  /// Where it stands in the text of its pipeline, in characters from 0.
  public let range: Range<Int>
  /// Its arguments that have labels, as written.
  public let arguments: [String: String]
  /// By how much it holds back each value, in nanoseconds, if that is always the same.
  let delay: Int?
  /// How many values a second it lets pass at most, with how that comes about.
  public let rate: SteadyRate?

  init(
    text: String,
    name: String? = nil,
    demand: StageDemand,
    branches: [[StageDescription]] = [],
    range: Range<Int> = 0..<0,
    arguments: [String: String] = [:],
    delay: Int? = 0,
    rate: SteadyRate? = nil
  ) {
    self.text = text
    self.name = name
    self.demand = demand
    self.branches = branches
    self.range = range
    self.arguments = arguments
    self.delay = delay
    self.rate = rate
  }

  /// The same stage where the pipeline called `name` is inlined.
  func inlined(from name: String) -> StageDescription {
    var stage = self
    stage.pipeline = pipeline ?? name
    stage.branches = branches.map { $0.map { $0.inlined(from: name) } }
    return stage
  }
}

/// A number of values in a time.
public struct SteadyRate: Equatable, Sendable {
  let values: Int
  let nanoseconds: Int

  /// Values a second.
  public var perSecond: Double { Double(values) * 1e9 / Double(nanoseconds) }
}
