import FlowWire
import Programs

/// The long name of an option.
struct OptionName: RawRepresentable, Equatable, ExpressibleByStringLiteral {
  let rawValue: String

  init(rawValue: String) { self.rawValue = rawValue }

  init(stringLiteral name: String) { rawValue = name }
}

typealias OptionEntry = ProgramOption<OptionName>
typealias ClientOption = GivenOption<OptionName>

/// The values of options that are read in the same way in several commands.
extension ClientOption {
  func text() throws(UsageError) -> String { value }

  func number() throws(UsageError) -> UInt64 {
    guard let number = UInt64(value), number > 0 else { throw refusal("a positive integer") }
    return number
  }

  func time() throws(UsageError) -> Duration {
    guard let time = Duration(text: value) else {
      throw refusal("a time such as 250ms, 5s or 2m")
    }
    return time
  }

  func size() throws(UsageError) -> UInt64 {
    guard let size = Quantity.size(value[...]), size > 0 else {
      throw refusal("a size such as 128 or 4KiB")
    }
    return UInt64(size)
  }

  func rate() throws(UsageError) -> Double {
    guard let rate = ValueRate.read(value) else {
      throw refusal("a rate such as 500/s or 50k/s")
    }
    return rate
  }

  func window() throws(UsageError) -> SubscribeRequest.Window {
    if value.lowercased() == "max" { return .unlimited }
    guard let number = UInt64(value), number > 0 else {
      throw refusal("a positive integer or max")
    }
    return .upTo(number)
  }
}
