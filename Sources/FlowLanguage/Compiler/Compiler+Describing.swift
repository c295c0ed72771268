import Spelling

extension Compiler {
  /// What a stage does with demand; a choice between publishers has no entry.
  func description(
    _ entry: OperatorEntry?,
    _ list: [Argument],
    _ branches: [[StageDescription]],
    at range: Range<Int>
  ) -> StageDescription {
    let text = text(range)
    guard let entry else {
      let demand = StageDemand(
        asks: .same("the same, from the chosen publisher"),
        ends: "with the chosen publisher"
      )
      return StageDescription(
        text: text,
        demand: demand,
        branches: branches,
        range: range,
        delay: nil
      )
    }
    let arguments = ArgumentTexts(list, branches: branches.count) { self.text($0) }
    let demands = entry.demands
    let demand =
      demands.first { $0.form.map(arguments.has) ?? false } ?? demands.first { $0.form == nil }
      ?? demands[0]
    let filled = demand.filled(arguments.fill)
    let delay: Int? =
      switch entry.delay {
      case .none: 0
      case .constant(let label): arguments.time(label)
      case .varying: nil
      }
    let rate: SteadyRate? =
      switch entry.rate {
      case .publishers: Self.rate(of: filled.holds.limit, branches)
      case .ticks(let label): arguments.time(label).flatMap(SteadyRate.ticking)
      case .pace: arguments.pace
      case nil: nil
      }
    return StageDescription(
      text: text,
      name: entry.name,
      demand: entry.role == .source ? .source(ends: filled.ends) : filled,
      branches: branches,
      range: range,
      arguments: arguments.labelled,
      delay: delay,
      rate: rate
    )
  }

  /// The rate of `most` publishers at a time, each of which takes the same time.
  private static func rate(of most: Int?, _ branches: [[StageDescription]]) -> SteadyRate? {
    guard let most, branches.count == 1, let time = branches[0].constantDelay else { return nil }
    return SteadyRate(values: most, nanoseconds: time)
  }
}

extension SteadyRate {
  fileprivate static func ticking(every nanoseconds: Int) -> SteadyRate? {
    nanoseconds > 0 ? SteadyRate(values: 1, nanoseconds: nanoseconds) : nil
  }
}

/// The arguments of a stage as texts, for the places in a row of the operator table.
private struct ArgumentTexts {
  private let list: [Argument]
  private let branches: Int
  private let text: (Range<Int>) -> String

  init(_ list: [Argument], branches: Int, text: @escaping (Range<Int>) -> String) {
    self.list = list
    self.branches = branches
    self.text = text
  }

  /// Whether an argument has this label, or begins with this text; `while` and `where` may be left
  /// out, and `count` has no label.
  func has(_ form: String) -> Bool {
    list.contains { argument in
      switch form {
      case "while", "where": argument.label == form || argument.value.isFunction
      case "count": argument.label == nil && !argument.value.isFunction
      case "every: time": argument.label == "every" && argument.value.isCall
      case "every, with a closure":
        argument.label == "every" && list.contains { $0.value.isFunction }
      case _ where form.hasPrefix("."): isText(form, argument.value)
      default: argument.label == form
      }
    }
  }

  private func isText(_ form: String, _ syntax: Syntax) -> Bool {
    if case .call(let callee, _) = syntax.kind { return text(callee.range) == form }
    return text(syntax.range) == form
  }

  /// The text with each argument's value in the place of its name.
  func fill(_ template: String) -> String {
    var result = ""
    var rest = template[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      result += rest[..<start]
      result += value(String(rest[rest.index(after: start)..<end]))
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// Those that have labels.
  var labelled: [String: String] {
    let pairs = list.compactMap { argument in
      argument.label.map { ($0, text(argument.value.range)) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// A constant time, in nanoseconds.
  func time(_ label: String) -> Int? { argument(label)?.constantNanoseconds }

  /// So many values in a time, as in `pace(5, per: .seconds(1))`.
  var pace: SteadyRate? {
    guard case .literal(.int(let count))? = list.first(where: { $0.label == nil })?.value.kind,
      let time = time("per"), count > 0, time > 0
    else { return nil }
    return SteadyRate(values: count, nanoseconds: time)
  }

  private func argument(_ label: String) -> Syntax? {
    list.first { $0.label == label }?.value
  }

  private func value(_ name: String) -> String {
    switch name {
    case "publishers": return "\(branches + 1)"
    case "count":
      guard let syntax = list.first(where: { $0.label == nil })?.value else { return "1" }
      if case .call(_, let arguments) = syntax.kind, let count = arguments.last {
        return short(count.value)
      }
      return short(syntax)
    case "maxPublishers":
      guard let syntax = argument(name), syntax.lastName == nil else { return "unlimited" }
      if case .call(_, let arguments) = syntax.kind, let count = arguments.first {
        return short(count.value)
      }
      return short(syntax)
    case "per", "within":
      return argument(name).map { $0.constantNanoseconds.map(timeText) ?? short($0) } ?? name
    case "maxGroups": return argument(name).map(short) ?? "1024"
    case "time":
      guard let syntax = argument("for") ?? list.first(where: { $0.label == nil })?.value else {
        return name
      }
      return syntax.constantNanoseconds.map(timeText) ?? short(syntax)
    default: return argument(name).map(short) ?? name
    }
  }

  /// The text of an argument, short enough for a row and without quotes, which enclose the row's.
  private func short(_ syntax: Syntax) -> String {
    let text = text(syntax.range).map { $0 == "\"" ? "'" : $0.isNewline ? " " : $0 }
    return String(text).excerpt(40)
  }
}

extension Syntax {
  fileprivate var isCall: Bool { if case .call = kind { true } else { false } }

  /// The time that a literal stands for, as `0.5` or `.milliseconds(500)`.
  fileprivate var constantNanoseconds: Int? {
    var literal = self
    var unit = 1e9
    if case .call(let callee, let arguments) = kind, let name = callee.lastName,
      let length = Compiler.unitsOfTime[name.text], arguments.count == 1
    {
      literal = arguments[0].value
      unit = length
    }
    switch literal.kind {
    case .literal(.int(let number)): return Int(exactly: (Double(number) * unit).rounded())
    case .literal(.double(let number)): return Int(exactly: (number * unit).rounded())
    default: return nil
    }
  }
}
