/// What a stage does with demand: a row of the operator table, and, with the arguments of a stage
/// filled in, what EXPLAIN tells of it.
///
/// A text may name an argument in braces, as in `{size}, then 1 for each value taken`.
public struct StageDemand: Equatable, Sendable {
  /// The label or the text of an argument with which this row holds; `nil` where it always does.
  public let form: String?
  /// What it requests of its upstream.
  public let request: StageRequest
  /// What it may hold.
  public let holds: Holding
  /// What it does when it holds that much.
  public let full: String
  /// When it ends.
  public let ends: String
  /// Whether what comes out are other values than those that went in.
  let makesValues: Bool
  /// Whether it leaves values out, one of which it may keep meanwhile.
  let thinsOut: Bool

  /// What it requests of its upstream, in words.
  public var asks: String { request.text }

  /// What a text says where there is nothing to say.
  public static let nothing = "-"

  init(
    with form: String? = nil,
    asks request: StageRequest,
    holds: Holding = .nothing,
    full: String = nothing,
    ends: String = "with its upstream",
    makesValues: Bool = false,
    thinsOut: Bool = false
  ) {
    self.form = form
    self.request = request
    self.holds = holds
    self.full = full
    self.ends = ends
    self.makesValues = makesValues
    self.thinsOut = thinsOut
  }

  /// The row of a source, which has no upstream.
  static func source(ends: String) -> StageDemand { StageDemand(asks: .other(nothing), ends: ends) }

  /// A stage that passes demand on, holds nothing and ends with its upstream.
  static func same(_ text: String) -> StageDemand { StageDemand(asks: .same(text)) }

  /// A stage that requests everything, holds nothing and ends with its upstream.
  static func unlimited(_ text: String) -> StageDemand { StageDemand(asks: .unlimited(text)) }

  /// The row with each text changed by `fill`.
  func filled(_ fill: (String) -> String) -> StageDemand {
    StageDemand(
      with: form,
      asks: request.filled(fill),
      holds: holds.filled(fill),
      full: fill(full),
      ends: fill(ends),
      makesValues: makesValues,
      thinsOut: thinsOut
    )
  }

  /// The row with the names of its arguments where their values would be.
  public var general: StageDemand {
    filled { text in text.filter { $0 != "{" && $0 != "}" } }
  }
}

extension StageDemand: ExpressibleByStringLiteral {
  /// A stage that asks for `value`, holds nothing and ends with its upstream.
  public init(stringLiteral value: String) { self.init(asks: .other(value)) }
}

/// What a stage requests of its upstream: by what, as lint goes by it, and in words.
public enum StageRequest: Equatable, Sendable {
  /// As many values as are requested of the stage; some ask for more to make up for others.
  case same(String)
  /// Everything, whatever is requested of the stage.
  case unlimited(String)
  /// One value after the other, however many are requested of the stage.
  case oneByOne(String)
  case other(String)

  /// For people.
  public var text: String {
    switch self {
    case .same(let text), .unlimited(let text), .oneByOne(let text), .other(let text): text
    }
  }

  /// Whether it is for as many values as are requested of the stage.
  public var isSame: Bool { if case .same = self { true } else { false } }

  /// Whether it is for everything.
  public var isUnlimited: Bool { if case .unlimited = self { true } else { false } }

  /// Whether it is for one value after the other.
  public var isOneByOne: Bool { if case .oneByOne = self { true } else { false } }

  func filled(_ fill: (String) -> String) -> StageRequest {
    switch self {
    case .same(let text): .same(fill(text))
    case .unlimited(let text): .unlimited(fill(text))
    case .oneByOne(let text): .oneByOne(fill(text))
    case .other(let text): .other(fill(text))
    }
  }
}

extension StageRequest: ExpressibleByStringLiteral {
  /// A request of no kind that lint knows.
  public init(stringLiteral value: String) { self = .other(value) }
}

/// How many values a stage may hold.
public enum Holding: Equatable, Sendable {
  case nothing
  /// At most so many.
  case values(String)
  /// One of each of so many publishers.
  case each(String)
  /// What its downstream has asked for.
  case asked

  func filled(_ fill: (String) -> String) -> Holding {
    switch self {
    case .values(let count): .values(fill(count))
    case .each(let count): .each(fill(count))
    case .nothing, .asked: self
    }
  }

  /// The most, if it is a known number.
  public var limit: Int? {
    switch self {
    case .nothing: 0
    case .values(let count), .each(let count): Int(count)
    case .asked: nil
    }
  }

  /// For people.
  public var text: String {
    switch self {
    case .nothing: "nothing"
    case .values(let count): count
    case .each("unlimited"): "1 for each publisher"
    case .each(let count): "\(count) × 1"
    case .asked: "what was requested"
    }
  }
}
