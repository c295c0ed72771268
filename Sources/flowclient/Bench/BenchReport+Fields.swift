import FlowLanguage
import FlowWire

// MARK: - The report as JSON and CSV
extension BenchReport {
  enum Field: Equatable {
    case text(String)
    case count(UInt64)
    case number(Double)
    case truth(Bool)
    case nothing
  }

  func json() -> String {
    "\(JSONLine.object(fields.map { ($0.name, Self.json($0.field)) }))\n"
  }

  /// A line of names and a line of values.
  func csv() -> String {
    "\(CSVText.row(fields.map(\.name)))\n\(CSVText.row(fields.map { Self.csv($0.field) }))\n"
  }

  /// The fields, always with the same names in the same order; times are in microseconds.
  var fields: [(name: String, field: Field)] {
    var fields: [(name: String, field: Field)] = [
      ("form", .text(request.form.rawValue)),
      ("subject", request.subject.map(Field.text) ?? .nothing),
      ("flow", request.subject == nil ? .text(request.flow.rawValue) : .nothing),
      ("publishers", .count(UInt64(request.publishers))),
      ("subscribers", .count(UInt64(request.subscribers))),
      ("slow", .count(UInt64(request.slow))),
      ("size", .count(UInt64(request.size))),
      ("rate", request.rate.map(Field.number) ?? .nothing),
    ]
    fields += Self.fields("sent", sent) + Self.fields("received", received)
    fields += Self.fields("latency", latency) + Self.fields("actual", actual)
    fields += [
      ("lost", .count(lost)), ("duplicated", .count(duplicated)), ("reordered", .count(reordered)),
      ("missed", .count(missed)), ("foreign", .count(foreign)), ("early", .count(early)),
      ("cpu", .number(elapsed > 0 ? processorTime / elapsed : 0)),
      ("ok", .truth(complaints.isEmpty)),
      ("complaints", .text(complaints.joined(separator: "; "))),
    ]
    return fields
  }

  private static func fields(
    _ name: String,
    _ traffic: Traffic?
  ) -> [(name: String, field: Field)] {
    let rates = traffic?.rates
    return [
      (name, traffic.map { .count($0.values) } ?? .nothing),
      ("\(name)_seconds", number(traffic?.seconds)), ("\(name)_rate", number(traffic?.rate)),
      ("\(name)_rate_min", number(rates?.least)), ("\(name)_rate_avg", number(rates?.average)),
      ("\(name)_rate_max", number(rates?.most)),
    ]
  }

  private static func fields(
    _ name: String,
    _ latency: Latency?
  ) -> [(name: String, field: Field)] {
    let names = ["min", "mean"] + Latency.quantiles.map(\.name) + ["max"]
    return names.enumerated().map { index, row in
      let time = latency.map { Double($0.rows[index].time) / 1000 }
      let word = row.replacingDot
      return ("\(name)_\(word)_us", number(time))
    }
  }

  private static func number(_ number: Double?) -> Field { number.map(Field.number) ?? .nothing }

  private static func json(_ field: Field) -> String {
    switch field {
    case .text(let text): JSONText.string(text)
    case .count(let count): "\(count)"
    case .number(let number): Figure.decimal(number, digits: 3)
    case .truth(let truth): "\(truth)"
    case .nothing: "null"
    }
  }

  private static func csv(_ field: Field) -> String {
    switch field {
    case .text(let text): text
    case .nothing: ""
    case .count, .number, .truth: json(field)
    }
  }
}

extension String {
  /// Replaces the dot in `p99.9` with `_`, to make it a valid name everywhere.
  fileprivate var replacingDot: String { String(map { $0 == "." ? "_" : $0 }) }
}
