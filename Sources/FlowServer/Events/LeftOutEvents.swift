internal import FlowLanguage

/// Which stages have left out values lately: each is told of once a second at most.
struct LeftOutEvents {
  /// The most stages that are told apart.
  private static let most = 1_000

  private var stages: [String: OncePerSecond] = [:]

  /// Counts a value that a stage of `name` has left out; returns how many there are to be told of now.
  fileprivate mutating func add(_ leftOut: LeftOut, by name: String, at now: Int64) -> Int? {
    let stage = "\(name) \(leftOut.stage)"
    if stages[stage] == nil, stages.count >= Self.most { stages = [:] }
    return stages[stage, default: OncePerSecond()].add(at: now)
  }
}

extension Engine {
  /// Tells that what runs as `name` has left out a value.
  func notifyLeftOut(_ leftOut: LeftOut, by name: String) {
    guard let count = leftOutEvents.add(leftOut, by: name, at: now) else { return }
    notify(.leftOut(name: name, stage: leftOut.stage, text: leftOut.text, count: count))
  }
}
