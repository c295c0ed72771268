internal import FlowWire

/// A metric: its name, kind and help text.
package struct Metric: Sendable {
  enum Kind: String {
    case counter
    case gauge
    /// Counts values up to certain bounds; samples have the label `le`, or are `sum` or `count`.
    case histogram
  }

  let name: String
  let kind: Kind
  let help: String

  package static func counter(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .counter, help: help)
  }

  package static func gauge(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .gauge, help: help)
  }

  static func histogram(_ name: String, _ help: String) -> Self {
    Self(name: name, kind: .histogram, help: help)
  }
}

extension Engine {
  /// All metrics, in the order of output.
  var metrics: [Metric] {
    Figures.server.metrics + stores.metrics + Figures.subjects.metrics
      + Figures.pipelines.metrics + Figures.watched.metrics + Figures.runs.metrics
      + Figures.stages.metrics + Figures.services.metrics + Figures.process.metrics
  }
}

enum Figures {}

/// One amount of a metric, with its labels.
package struct Sample {
  package typealias Label = (name: String, value: String)

  let amount: Amount
  let labels: [Label]
  /// Follows the metric's name in the parts of a histogram.
  let suffix: String

  package init(_ amount: Amount, labels: [Label], suffix: String = "") {
    self.amount = amount
    self.labels = labels
    self.suffix = suffix
  }

  package init(_ count: Int, _ labels: Label...) { self.init(.count(count), labels: labels) }
}

package struct MetricLine {
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
