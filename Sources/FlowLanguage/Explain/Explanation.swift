/// What a pipeline does with demand, stage by stage, and in all.
public struct Explanation: Equatable, Sendable {
  /// A stage and its place.
  public struct Row: Equatable, Sendable {
    /// `2` for a stage, `2.0` for the first one of the publishers below it.
    public let number: String
    /// The stage.
    public let stage: StageDescription
  }

  /// The stages from the source on, each followed by those below it.
  public let rows: [Row]
  /// How many values may be inside at once, for people.
  public let holds: String
  /// How many values a second can come out in the long run, where constant times limit that.
  public let rate: String?
  /// How many stages there are from the source to the last one.
  public let stageCount: Int

  init(_ stages: [StageDescription]) {
    stageCount = stages.count
    rows = Self.rows(stages, below: "")
    var total = Total()
    total.add(stages, times: 1, numbered: "")
    holds = total.text
    rate = stages.compactMap(\.rate).min { $0.perSecond < $1.perSecond }?.text
  }

  private static func rows(_ stages: [StageDescription], below prefix: String) -> [Row] {
    stages.enumerated().flatMap { number, stage in
      let number = "\(prefix)\(number)"
      return [Row(number: number, stage: stage)]
        + rows(stage.branches.flatMap { $0 }, below: "\(number).")
    }
  }

  /// Adds up what stages hold.
  private struct Total {
    private var counts: [Int] = []
    private var others: [String] = []

    mutating func add(_ stages: [StageDescription], times: Int?, numbered prefix: String) {
      for (number, stage) in stages.enumerated() {
        let number = "\(prefix)\(number)"
        add(stage, times: times, number)
        let publishers = stage.publisherLimit
        let inner = times.flatMap { times in
          publishers.flatMap { publishers in
            let (product, overflow) = times.multipliedReportingOverflow(by: publishers)
            return overflow ? nil : product
          }
        }
        for branch in stage.branches where !branch.areOneValue {
          add(branch, times: inner, numbered: "\(number).")
        }
      }
    }

    private mutating func add(_ stage: StageDescription, times: Int?, _ number: String) {
      guard stage.demand.holds != .nothing else { return }
      let product = times.flatMap { times in
        stage.demand.holds.limit.map { $0.multipliedReportingOverflow(by: times) }
      }
      if let (count, overflow) = product, !overflow {
        if count > 0 { counts.append(count) }
      } else {
        let each = times == 1 ? "" : " in each publisher"
        others.append("\(stage.demand.holds.text) at stage \(number)\(each)")
      }
    }

    var text: String {
      var parts: [String] = []
      if !counts.isEmpty {
        let sum = counts.map(String.init).joined(separator: " + ")
        parts.append("at most \(sum) \(counts == [1] ? "value" : "values")")
      }
      parts += others
      return parts.isEmpty ? "nothing" : parts.joined(separator: ", and ")
    }
  }
}

extension StageDescription {
  /// How many publishers of each branch there may be at once.
  fileprivate var publisherLimit: Int? {
    opensMany ? demand.holds.limit : 1
  }
}

extension [StageDescription] {
  /// Whether there is but one value, which counts where the stage above may hold it.
  fileprivate var areOneValue: Bool {
    guard let source = first, source.traits.contains(.hasOneValue) else { return false }
    return allSatisfy { $0.branches.isEmpty }
  }

  /// By how much they hold back one value, if that is always the same and more than nothing.
  var constantDelay: Int? {
    guard areOneValue else { return nil }
    var sum = 0
    for stage in self {
      guard let delay = stage.delay, sum <= Int.max / 2 - delay else { return nil }
      sum += delay
    }
    return sum > 0 ? sum : nil
  }
}

extension SteadyRate {
  /// For people, with how it comes about.
  public var text: String {
    var (count, unit) = (perSecond, "s")
    if count < 0.1 { (count, unit) = (perSecond * 60, "m") }
    if count < 0.1 { (count, unit) = (perSecond * 3600, "h") }
    let whole = count >= 10 ? Int(exactly: count.rounded()) : nil
    let number = whole.map(String.init) ?? "\((count * 100).rounded() / 100)"
    let short = number.hasSuffix(".0") ? String(number.dropLast(2)) : number
    return "at most \(short)/\(unit) (\(values) / \(timeText(nanoseconds)))"
  }
}

/// A time as people write it: `40 ms`.
package func timeText(_ nanoseconds: Int) -> String {
  for (unit, length) in [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000)]
  where nanoseconds >= length {
    let tenths = (nanoseconds / (length / 10)) % 10
    let fraction = tenths == 0 ? "" : ".\(tenths)"
    return "\(nanoseconds / length)\(fraction) \(unit)"
  }
  return "\(nanoseconds) ns"
}

extension Pipeline {
  /// What each stage asks of its upstream, holds, does when full and ends on.
  public var explanation: Explanation { Explanation(stages) }
}

extension RunDefinition {
  /// What each stage asks of its upstream, holds, does when full and ends on; the ending is one.
  public var explanation: Explanation { Explanation(pipeline.stages + [lastStage]) }
}
