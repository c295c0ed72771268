import FlowWire
import Programs

/// The type of an option's value.
struct OptionType<Value>: Sendable {
  typealias Reading = @Sendable (ClientOption) throws(UsageError) -> Value

  /// The placeholder of the value in the help.
  let placeholder: String
  /// The words that a shell offers for the value.
  let words: [String]
  let read: Reading

  init(_ placeholder: String, words: [String] = [], read: @escaping Reading) {
    self.placeholder = placeholder
    self.words = words
    self.read = read
  }
}

extension OptionType where Value: RawRepresentable<String> & CaseIterable & Sendable {
  /// A type whose values are the words of `Value`.
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
    Self("N") { option throws(UsageError) in
      guard let number = UInt64(option.value), number > 0 else {
        throw option.refusal("a positive integer")
      }
      return number
    }
  }

  static var size: Self {
    Self("SIZE") { option throws(UsageError) in
      guard let size = Quantity.size(option.value[...]), size > 0 else {
        throw option.refusal("a size such as 128 or 4k")
      }
      return UInt64(size)
    }
  }
}

extension OptionType<Duration> {
  static var time: Self {
    Self("TIME") { option throws(UsageError) in
      guard let time = Duration(text: option.value) else {
        throw option.refusal("a time with its unit, such as 250ms, 5s, 2m or 1h")
      }
      return time
    }
  }
}

extension OptionType<Double> {
  static var rate: Self {
    Self("RATE") { option throws(UsageError) in
      guard let rate = ValueRate.read(option.value) else {
        throw option.refusal("a rate such as 500/s or 50k/s")
      }
      return rate
    }
  }
}

extension OptionType<SubscribeRequest.Window> {
  static var window: Self {
    Self("N|max") { option throws(UsageError) in
      if option.value.lowercased() == "max" { return .unlimited }
      guard let number = UInt64(option.value), number > 0 else {
        throw option.refusal("a positive integer or max")
      }
      return .upTo(number)
    }
  }
}
