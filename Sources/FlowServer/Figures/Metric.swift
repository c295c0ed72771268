internal import FlowWire

/// What STATS, `$stats`, `/metrics` and the reference page call some figures.
struct Metric: Sendable {
  enum Kind: String {
    /// It only grows.
    case counter
    /// It goes up and down.
    case gauge
    /// How many values were up to how large: samples have the label `le`, or are `sum` or `count`.
    case histogram
  }

  let name: String
  let kind: Kind
  let help: String

  static func counter(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .counter, help: help)
  }

  static func gauge(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .gauge, help: help)
  }

  static func histogram(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .histogram, help: help)
  }

  /// All metrics, in the order in which they are told.
  static let all: [Metric] =
    Figures.server.metrics + SubjectStores.metrics + Figures.subjects.metrics
    + Figures.pipelines.metrics + Figures.watched.metrics + Figures.runs.metrics
    + Figures.stages.metrics + Figures.services.metrics + Figures.process.metrics
}

/// The tables of figures, one for each kind of thing.
enum Figures {}

/// An amount of a figure, and what tells it apart from others of the same metric.
struct Sample {
  typealias Label = (name: String, value: String)

  let amount: Amount
  let labels: [Label]
  /// Stands behind the metric's name, for the parts of a histogram.
  let suffix: String

  init(_ amount: Amount, labels: [Label], suffix: String = "") {
    self.amount = amount
    self.labels = labels
    self.suffix = suffix
  }

  init(_ count: Int, _ labels: Label...) { self.init(.count(count), labels: labels) }
}

/// A line of STATS or `/metrics`.
struct MetricLine {
  let metric: Metric
  let row: MetricRow

  init(_ metric: Metric, _ sample: Sample, _ labels: [Sample.Label]) {
    self.metric = metric
    row = MetricRow(
      metric.name + sample.suffix,
      labels + sample.labels,
      value: sample.amount.metricText
    )
  }
}
