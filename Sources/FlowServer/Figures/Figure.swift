internal import FlowWire

/// A figure of a `Thing`: where it is shown, its names, and who may see it.
///
/// LIST and SHOW show it as a field of a row; STATS, `$stats` and `/metrics` as samples of a
/// metric; WATCH and `/events` as a member of an object.
package struct Figure<Thing>: Sendable {
  /// Who may see a figure, as `Gate` decides.
  package enum Audience {
    /// Clients that may read the thing's name.
    case readers
    /// Clients that may see the inside of its definition.
    case insiders
  }

  let metric: Metric?
  let field: String?
  let member: String?
  let audience: Audience
  let read: @Sendable (Thing) -> [Sample]

  /// Makes a figure with one amount; nil leaves it out.
  package init(
    _ metric: Metric? = nil,
    _ label: Sample.Label? = nil,
    field: String? = nil,
    member: String? = nil,
    for audience: Audience = .readers,
    _ amount: @escaping @Sendable (Thing) -> Amount?
  ) {
    self.init(each: metric, field: field, member: member, for: audience) { thing in
      guard let amount = amount(thing) else { return [] }
      return [Sample(amount, labels: label.map { [$0] } ?? [])]
    }
  }

  package static func counter(
    _ name: String,
    _ help: String,
    field: String? = nil,
    member: String? = nil,
    for audience: Audience = .readers,
    _ amount: @escaping @Sendable (Thing) -> Amount?
  ) -> Self {
    Self(.counter(name, help), field: field, member: member, for: audience, amount)
  }

  package static func gauge(
    _ name: String,
    _ help: String,
    _ label: Sample.Label? = nil,
    field: String? = nil,
    member: String? = nil,
    for audience: Audience = .readers,
    _ amount: @escaping @Sendable (Thing) -> Amount?
  ) -> Self {
    Self(.gauge(name, help), label, field: field, member: member, for: audience, amount)
  }

  /// Makes a figure whose metric has several samples; field and member show the first.
  package init(
    each metric: Metric?,
    field: String? = nil,
    member: String? = nil,
    for audience: Audience = .readers,
    _ read: @escaping @Sendable (Thing) -> [Sample]
  ) {
    self.metric = metric
    self.field = field
    self.member = member
    self.audience = audience
    self.read = read
  }
}

/// The figures of one kind of thing, in order.
package struct FigureTable<Thing>: ExpressibleByArrayLiteral, Sendable {
  let figures: [Figure<Thing>]

  init(_ figures: [Figure<Thing>]) { self.figures = figures }

  package init(arrayLiteral figures: Figure<Thing>...) { self.figures = figures }

  static func + (first: Self, second: Self) -> Self { Self(first.figures + second.figures) }

  func shown(inside: Bool) -> [Figure<Thing>] {
    inside ? figures : figures.filter { $0.audience == .readers }
  }

  func fields(of thing: Thing, inside: Bool = true) -> RowFields {
    var fields: RowFields = [:]
    for figure in shown(inside: inside) {
      guard let field = figure.field, let sample = figure.read(thing).first else { continue }
      fields = fields + [field: sample.amount]
    }
    return fields
  }

  /// The lines of metrics; `labels` identify the thing.
  package func lines(
    of thing: Thing,
    _ labels: [Sample.Label] = [],
    inside: Bool = true
  ) -> [MetricLine] {
    shown(inside: inside).flatMap { figure -> [MetricLine] in
      guard let metric = figure.metric else { return [] }
      return figure.read(thing).map { MetricLine(metric, $0, labels) }
    }
  }

  /// The metrics of the table, without repetitions.
  package var metrics: [Metric] {
    figures.compactMap(\.metric).reduce(into: []) { metrics, metric in
      if metrics.last?.name != metric.name { metrics.append(metric) }
    }
  }
}
