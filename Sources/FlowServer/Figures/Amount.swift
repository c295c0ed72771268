internal import FlowWire

/// An amount with a unit, which each output writes in its own way.
package enum Amount: CustomStringConvertible {
  case count(Int)
  /// Requested values or calls; `Int.max` is no limit.
  case demand(Int)
  /// In nanoseconds.
  case time(Int64)
  case number(Double)
  case text(String)

  init(_ demand: Demand) { self = .demand(demand.max.map { Int(clamping: $0) } ?? .max) }

  /// As in LIST and SHOW: times in milliseconds.
  package var description: String {
    switch self {
    case .count(let count): "\(count)"
    case .demand(let demand): demand == .max ? "max" : "\(demand)"
    case .time(let nanoseconds): "\(nanoseconds / 1_000_000)ms"
    case .number(let number):
      number == .infinity ? "+Inf" : Int(exactly: number).map(String.init) ?? "\(number)"
    case .text(let text): text
    }
  }

  /// As in a metric: times in seconds.
  var metricText: String {
    switch self {
    case .demand(let demand) where demand == .max: "+Inf"
    case .time(let nanoseconds): "\(Self.number(Double(nanoseconds / 1_000_000) / 1_000))"
    default: description
    }
  }
}
