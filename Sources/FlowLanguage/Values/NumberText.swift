/// A number as it is spelled in JSON.
public struct NumberText: Sendable {
  let text: String

  /// An Int if it is a whole number that fits, or else the nearest Double.
  var value: Value {
    var copy = text
    return copy.withUTF8 { text in
      guard let start = text.baseAddress else { return .null }
      let grammar = unsafe JSONGrammar(end: start + text.count)
      return unsafe grammar.number(start)?.computed ?? .null
    }
  }
}
