/// What there is to know about a source or operator besides its demand: what EXPLAIN, lint and the
/// compiler go by.
public struct Traits: OptionSet, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  // MARK: Sources

  /// Its values are there at once.
  public static let isAtHand = Traits(rawValue: 1 << 0)
  /// It has one value at most.
  public static let hasOneValue = Traits(rawValue: 1 << 1)
  /// It never ends by itself.
  public static let isEndless = Traits(rawValue: 1 << 2)

  // MARK: Stages

  /// As many values come out as go in, and no fewer.
  public static let passesAll = Traits(rawValue: 1 << 3)
  /// It ends what would not end by itself.
  public static let endsEarly = Traits(rawValue: 1 << 4)
  /// It goes on after a failure.
  public static let recovers = Traits(rawValue: 1 << 5)
  /// It holds values until they are asked for.
  public static let buffers = Traits(rawValue: 1 << 6)
  /// It is one for all subscribers.
  public static let shares = Traits(rawValue: 1 << 7)
  /// It makes a publisher of each value.
  public static let flattens = Traits(rawValue: 1 << 8)
  /// It may have as many publishers open as it may hold values.
  public static let opensMany = Traits(rawValue: 1 << 9)
  /// It does much with a value, and has no place for values to wait; so they wait before it.
  public static let isCostly = Traits(rawValue: 1 << 10)
  /// It hands on each value at once, so that it is known which subject that comes from.
  public static let keepsName = Traits(rawValue: 1 << 11)
  /// It calls its closure as the value comes, and hands on others, or later.
  public static let seesName = Traits(rawValue: 1 << 12)

  /// Its closure makes a publisher.
  static let closureMakesPublisher = Traits(rawValue: 1 << 13)
}

extension StageDescription {
  /// What there is to know about its source or operator; of a subject or a choice nothing.
  public var traits: Traits { entry?.traits ?? [] }

  /// Whether it may have as many publishers open as it may hold values; windows that overlap are one
  /// after the other.
  public var opensMany: Bool { traits.contains(.opensMany) && arguments["every"] == nil }

  /// Whether it holds back each value by a time that its arguments say.
  public var delaysValues: Bool {
    if case .constant = entry?.delay { true } else { false }
  }

  /// Whether it has its source wait.
  public var pacesItsSource: Bool { if case .pace = entry?.rate { true } else { false } }

  private var entry: OperatorEntry? { name.flatMap(OperatorTable.entry) }
}
