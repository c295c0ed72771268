import FlowWire
import Programs

struct OptionType<Value>: Sendable {
  typealias Reading = @Sendable (ClientOption) throws(UsageError) -> Value

  let placeholder: String
  /// The values that shell completion offers.
  let words: [String]
  let read: Reading

  init(_ placeholder: String, words: [String] = [], read: @escaping Reading) {
    self.placeholder = placeholder
    self.words = words
    self.read = read
  }

  /// Makes a type whose values `convert` reads; it returns nil for one that is not `expected`.
  init(_ placeholder: String, _ expected: String, convert: @escaping @Sendable (String) -> Value?) {
    self.init(placeholder) { option throws(UsageError) in
      guard let value = convert(option.value) else { throw option.refusal(expected) }
      return value
    }
  }
}

extension OptionType where Value: RawRepresentable<String> & CaseIterable & Sendable {
  static func choice(_ placeholder: String) -> Self {
    Self(placeholder, words: Value.allCases.map(\.rawValue)) { option throws(UsageError) in
      try option.choice()
    }
  }
}

extension OptionType<String> {
  static func text(_ placeholder: String) -> Self { Self(placeholder) { $0.value } }
}

extension OptionType<UInt64> {
  static var number: Self {
    Self("N", "a positive integer") { text in UInt64(text).flatMap { $0 > 0 ? $0 : nil } }
  }
}

extension OptionType<Int> {
  static var size: Self {
    Self("SIZE", "a size such as 128 or 4k") { text in
      Quantity.size(text[...]).flatMap { $0 > 0 ? Int($0) : nil }
    }
  }
}

extension OptionType<Duration> {
  static var time: Self {
    Self("TIME", "a time with its unit, such as 250ms, 5s, 2m or 1h") { Duration(text: $0) }
  }
}

extension OptionType<Double> {
  static var rate: Self {
    Self("RATE", "a rate such as 500/s or 50k/s") { ValueRate.read($0) }
  }
}

extension OptionType<DemandPlan.Window> {
  static var window: Self {
    Self("N|max", "a positive integer or max") { text in
      if text.lowercased() == "max" { return .unlimited }
      return UInt64(text).flatMap { $0 > 0 ? DemandPlan.Window.upTo($0) : nil }
    }
  }
}
