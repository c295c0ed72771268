import FlowWire

/// A stream that is open on a conversation, as far as its lines tell.
struct OpenStream: Equatable {
  let id: StreamID
  let verb: Verb
  /// The name of what it is about; `-` for an expression.
  let name: String
  /// The command that has opened it.
  let command: Command?
  /// The demand that is left.
  var demand: Demand
  /// When the last value or call came, in nanoseconds; 0 before the first.
  var lastValue: UInt64 = 0

  /// Whether values come in on it.
  var isRead: Bool { [.subscribe, .take, .tap].contains(verb) }

  var title: String {
    guard name == "-", let command else { return name }
    switch command {
    case .subscribe(let expression, _, _, _, _), .take(let expression, _, _, _):
      return DisplayText.cut(DisplayText.visible(expression.text), to: 40)
    default: return name
    }
  }

  /// The command that opens the stream again with the demand that is left; `nil` if it cannot
  /// continue.
  var reopening: Command? {
    switch command {
    case .subscribe(let expression, _, _, let window, let durable):
      .subscribe(expression, demand: demand, id: id, window: window, durable: durable)
    case .take(let expression, _, _, _):
      demand.max.flatMap { left in
        left > 0 ? .take(expression, count: left, id: id, within: nil) : nil
      }
    case .tap(let name, let stage, _, _): .tap(name: name, stage: stage, demand: demand, id: id)
    default: nil
    }
  }

  /// Its state when the connection was lost.
  var summary: String {
    "\(verb.rawValue) \(id) \(title)" + (isRead ? ", demand \(demand) left" : "")
  }
}
