internal import FlowLanguage

/// The members of an object of WATCH, `/events` or `/v1/topology`, in their order.
struct JSONMembers: ExpressibleByDictionaryLiteral {
  private var all: [JSONObject.Member]

  /// Makes a member of each value that is not nil.
  init(dictionaryLiteral members: (String, Value?)...) {
    all = members.compactMap { key, value in value.map { .init(key: key, value: $0) } }
  }

  static func + (first: Self, second: Self) -> Self {
    var both = first
    both.all += second.all
    return both
  }

  fileprivate var object: JSONObject { JSONObject(members: all) }
}

extension FigureTable {
  /// The members of an object of WATCH or `/events`.
  func members(of thing: Thing, inside: Bool = true) -> JSONMembers {
    var members: JSONMembers = [:]
    for figure in shown(inside: inside) {
      guard let member = figure.member, let sample = figure.read(thing).first else { continue }
      members = members + [member: sample.amount.value]
    }
    return members
  }
}

extension Amount {
  /// The amount as JSON has it: times in milliseconds.
  fileprivate var value: Value {
    switch self {
    case .count(let count): .int(count)
    case .demand(let demand): .demand(demand)
    case .time(let nanoseconds): .int(Int(nanoseconds / 1_000_000))
    case .number(let number): .rounded(number)
    case .text(let text): .string(text)
    }
  }
}

extension Value {
  /// An object with these members.
  static func object(_ members: JSONMembers) -> Value { .object(members.object) }

  static func array(_ elements: some Sequence<Value>) -> Value { .array(JSONArray(elements)) }

  /// A number with at most so many digits behind the point.
  static func rounded(_ number: Double, _ digits: Int = 3) -> Value {
    let scale = [1.0, 10, 100, 1000][digits]
    let value = (number * scale).rounded() / scale
    return Int(exactly: value).map(Value.int) ?? .double(value)
  }

  /// Demand: a number, or `max`.
  static func demand(_ demand: Int) -> Value {
    demand == .max ? .string("max") : .int(max(0, demand))
  }
}
