import Programs

extension ArgumentParser {
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
    _ option: GivenOption<OptionName>,
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
}
