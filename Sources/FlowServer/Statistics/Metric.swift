internal import FlowLanguage
internal import FlowSubjects

/// One number that the server tells, or several with labels: a row of the table of metrics.
struct Metric: Sendable {
  enum Kind: String {
    /// It only grows.
    case counter
    /// It goes up and down.
    case gauge
    /// How many values were up to how large: samples have the label `le`, or are `sum` or `count`.
    case histogram
  }

  /// A number, and what tells it apart from others of the same metric.
  struct Sample {
    var labels: [(name: String, value: String)] = []
    var value: Double
    /// Behind the metric's name, for the parts of a histogram.
    var suffix = ""

    init(_ value: Int, _ labels: (name: String, value: String)...) {
      self.value = Double(value)
      self.labels = labels
    }

    init(_ value: Double, _ labels: [(name: String, value: String)]) {
      self.value = value
      self.labels = labels
    }

    init(seconds nanoseconds: Int64, _ labels: (name: String, value: String)...) {
      value = Double(nanoseconds / 1_000_000) / 1_000
      self.labels = labels
    }
  }

  /// What it is a number of.
  enum Reading: Sendable {
    case server(@Sendable (Engine) -> [Sample])
    case subject(@Sendable (SubjectFigures) -> [Sample])
    case pipeline(@Sendable (RunningPipeline) -> [Sample])
    case run(@Sendable (Run) -> [Sample])
    case service(@Sendable (Service) -> [Sample])
    /// Of what a watch has seen of a pipeline or a run.
    case watched(@Sendable (WatchedName) -> [Sample])
    /// Of how long values of a subject took, by its name.
    case arrivals(@Sendable (String, DeliveryTimes) -> [Sample])
    /// Of each stage of a pipeline or a run.
    case stage(@Sendable (MeasuredStage) -> [Sample])
  }

  let name: String
  let kind: Kind
  let help: String
  /// Whether it shows the inside of a definition, which some tokens that read its name may not see.
  let isInside: Bool
  let reading: Reading

  init(
    _ name: String,
    _ kind: Kind,
    _ help: String,
    isInside: Bool = false,
    _ reading: Reading
  ) {
    self.name = name
    self.kind = kind
    self.help = help
    self.isInside = isInside
    self.reading = reading
  }
}

/// A stage of a named pipeline or run, with its figures.
struct MeasuredStage {
  let labels: [(name: String, value: String)]
  let stage: StageDescription
  let figures: StageFigures
  /// How it was found while somebody watched.
  let tally: StageTally?
  /// How many run it.
  let runs: Int
}

/// A named pipeline with the streams that run it.
struct RunningPipeline {
  let name: String
  let pipeline: Pipeline
  let streams: [ClientSubscription]
}

extension Metric.Sample {
  /// The value as decimal digits, without a fraction where there is none.
  var valueText: String {
    value == .infinity ? "+Inf" : Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// The labels in braces, if there are any.
  var labelText: String {
    guard !labels.isEmpty else { return "" }
    return "{" + labels.map { "\($0.name)=\"\($0.value)\"" }.joined(separator: ",") + "}"
  }
}
