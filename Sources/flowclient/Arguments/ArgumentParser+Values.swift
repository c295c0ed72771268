import FlowWire
import Programs

/// Values of options.
extension ArgumentParser {
  typealias Option = GivenOption<OptionName>

  /// Takes the text out of `operands` that stands behind `--format template`.
  static func takeTemplate(
    of words: ProgramWords<OptionName>,
    from operands: inout [String]
  ) throws(UsageError) -> String? {
    guard let option = words.options.last(where: { $0.name == .format && $0.value == "template" })
    else { return nil }
    guard operands.indices.contains(option.operandsBefore) else {
      throw UsageError("\(option.place) template needs a text", advice: templateExample)
    }
    return operands.remove(at: option.operandsBefore)
  }

  private static let templateExample =
    "as in: flowclient sub orders --format template '{id}: {price}'"

  /// How values are printed: `csv`, `ndjson`, `template` with a text behind it, or `template=TEXT`.
  func valueForm(
    _ option: Option,
    _ template: String?
  ) throws(UsageError) -> ValueFormat.Form {
    switch option.value {
    case "csv": return .csv
    case "ndjson": return .ndjson
    case "template":
      if let template { return .template(try ValueTemplate(template)) }
    case let text where text.hasPrefix("template="):
      return .template(try ValueTemplate(String(text.dropFirst("template=".count))))
    default: break
    }
    throw option.refusal("csv, ndjson or template TEXT")
  }

  func number(_ option: Option) throws(UsageError) -> UInt64 {
    guard let number = UInt64(option.value), number > 0 else {
      throw option.refusal("a positive integer")
    }
    return number
  }

  func file(_ option: Option) throws(UsageError) -> String {
    guard !option.value.isEmpty else { throw option.refusal("the path of a file") }
    return option.value
  }

  func name(_ option: Option) throws(UsageError) -> String {
    guard Name.isWord(option.value) else { throw option.refusal(Name.wordGrammar) }
    return option.value
  }

  /// Refuses what does not go with a durable subscription, of which each request acknowledges.
  func checkDurable(_ request: SubscribeRequest) throws(UsageError) {
    switch request.window {
    case .upTo(1...16_384), nil: break
    case .upTo, .unlimited: throw UsageError("--durable needs a --demand of 1 to 16384")
    }
  }

  func window(_ option: Option) throws(UsageError) -> SubscribeRequest.Window {
    if option.value.lowercased() == "max" { return .unlimited }
    guard let number = UInt64(option.value), number > 0 else {
      throw option.refusal("a positive integer or max")
    }
    return .upTo(number)
  }

  func size(_ option: Option) throws(UsageError) -> UInt64 {
    guard let size = Quantity.size(option.value[...]), size > 0 else {
      throw option.refusal("a size such as 128 or 4k")
    }
    return UInt64(size)
  }

  func rate(_ option: Option) throws(UsageError) -> Double {
    guard let rate = ValueRate.read(option.value) else {
      throw option.refusal("a rate such as 500/s or 50k/s")
    }
    return rate
  }

  func interval(_ option: Option) throws(UsageError) -> Duration {
    let time = try time(option)
    guard .milliseconds(100) ... .seconds(3600) ~= time else {
      throw option.refusal("a time from 100ms to 1h")
    }
    return time
  }

  func stream(_ option: Option) throws(UsageError) -> StreamPlace {
    guard let place = StreamPlace(option.value[...]) else {
      throw option.refusal("a client and its stream, such as 7.1")
    }
    return place
  }

  func filter(_ option: Option) throws(UsageError) -> String {
    guard (1...128).contains(option.value.utf8.count),
      option.value.utf8.allSatisfy({ 33...126 ~= $0 })
    else { throw option.refusal("a part of a name") }
    return option.value
  }

  func time(_ option: Option) throws(UsageError) -> Duration {
    guard let time = Duration(text: option.value) else {
      throw option.refusal("a time such as 250ms, 5s or 2m")
    }
    return time
  }
}
