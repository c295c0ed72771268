/// About what a stage takes in memory as long as it runs, in bytes, before it holds a value.
///
/// The values are measured: `Tests/System/prices.py measure` prints them, and compares what is charged
/// with what the process of a server grows by.
struct StagePrice: Sendable {
  /// When the publishers of a stage, those of its arguments and of its closure, run.
  enum Branches: Sendable {
    /// With its upstream.
    case together
    /// After its upstream, or before it.
    case inTurn
    /// One of them, whichever is chosen.
    case oneOf
    /// As values come, each of which opens one: it is charged when it opens.
    case asOpened
  }

  /// What the stage takes by itself.
  let stage: Int
  /// What each publisher that it joins takes besides; less than nothing where a publisher takes less
  /// than the values that can stand in its place.
  let publisher: Int
  let branches: Branches

  init(_ stage: Int, publisher: Int = 0, branches: Branches = .together) {
    self.stage = stage
    self.publisher = publisher
    self.branches = branches
  }

  /// What a choice between publishers takes.
  static let choice = StagePrice(0, branches: .oneOf)

  /// What a subscription to a subject takes.
  static let subject = 208
  /// What a subscription to a pattern takes without the subjects that join it.
  static let pattern = 400
  /// What the counter of a stage takes.
  static let counter = 80
  /// What counts what comes of a stage that does not count itself, or of a publisher that it joins.
  static let counted = 120

  /// What a stage and everything before it takes: `upstream` without the stage, and its `branches`.
  func total(behind upstream: Int, _ branches: [Int]) -> Int {
    let own = stage + publisher * branches.count
    return switch self.branches {
    case .together: own + upstream + branches.reduce(0, +)
    case .inTurn:
      // Those that are made but wait for their turn take about half.
      own + (upstream + branches.reduce(0, +) + max(upstream, branches.max() ?? 0)) / 2
    case .oneOf: own + upstream + (branches.max() ?? 0)
    case .asOpened: own + upstream
    }
  }
}

extension StagePrice: ExpressibleByIntegerLiteral {
  init(integerLiteral bytes: Int) { self.init(bytes) }
}
