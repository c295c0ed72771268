internal import FlowLanguage

/// What happens in a tick of a marble diagram.
public enum Marble: Hashable, Sendable {
  /// A value, by the payload that SEND would be given.
  case value(String)
  case finished
  case failure
  case cancel
  /// So many more are asked for; `nil` is all there are.
  case demand(Int?)
  /// There is no subscription yet.
  case absent
}

extension Marble {
  /// The marble of what a pipeline published.
  init(_ value: Value) {
    let payload = value.spelled
    if case .string(let text) = payload, Marble.payload(text).decoded == payload {
      self = .value(text)
    } else {
      self = unsafe .value(payload.withBytes { unsafe String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The value that a payload is.
  static func payload(_ text: String) -> Value {
    var text = text
    return text.withUTF8 { unsafe Value(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// How it is written.
  public var text: String {
    switch self {
    case .value(let text):
      if text.count == 1, let only = text.first, only.isMarble { return text }
      let escaped = text.flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
      return "'\(String(escaped))'"
    case .finished: return "|"
    case .failure: return "^"
    case .cancel: return ";"
    case .demand(nil): return "u"
    case .demand(let count?): return count < 10 ? "\(count)" : "'\(count)'"
    case .absent: return "_"
    }
  }

  /// Whether both are the same, values compared as JSON.
  func matches(_ other: Marble) -> Bool {
    guard case .value(let a) = self, case .value(let b) = other else { return self == other }
    return a == b || Marble.payload(a) == Marble.payload(b)
  }
}

extension Character {
  /// Whether it stands for itself as a value.
  var isMarble: Bool { isLetter || isNumber }
}

extension [[Marble]] {
  /// How the ticks are written, each as wide as `widths` says.
  func drawing(widths: [Int]) -> String {
    enumerated().map { tick, marbles in
      let text = marbles.cell
      return text + String(repeating: " ", count: Swift.max(0, widths[tick] - text.count))
    }
    .joined()
  }
}

extension [Marble] {
  /// How many of one tick are drawn.
  private static var mostDrawn: Int { 12 }

  /// How one tick is written.
  var cell: String {
    switch count {
    case 0: "-"
    case 1: self[0].text
    case ...Self.mostDrawn: "[\(map(\.text).joined())]"
    default: "[\(prefix(Self.mostDrawn).map(\.text).joined())… \(count) in all]"
    }
  }
}
