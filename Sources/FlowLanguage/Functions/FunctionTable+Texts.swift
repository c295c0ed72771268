extension FunctionTable {
  static let texts: [FunctionEntry] = [
    method(
      "uppercased",
      "()",
      of: .string,
      "The text in upper case.",
      #""tea".uppercased()"#,
      #""TEA""#,
      gives: .string,
      does: .characters,
      .unary(Texts.uppercased)
    ),
    method(
      "lowercased",
      "()",
      of: .string,
      "The text in lower case.",
      #""Tea".lowercased()"#,
      #""tea""#,
      gives: .string,
      does: .characters,
      .unary(Texts.lowercased)
    ),
    method(
      "hasPrefix",
      "(text)",
      of: .string,
      takes: [.value(.string)],
      "Whether the text begins with that text.",
      #""teapot".hasPrefix("tea")"#,
      "true",
      gives: .bool,
      .binary(Texts.hasPrefix)
    ),
    method(
      "hasSuffix",
      "(text)",
      of: .string,
      takes: [.value(.string)],
      "Whether the text ends in that text.",
      #""teapot".hasSuffix("tea")"#,
      "false",
      gives: .bool,
      .binary(Texts.hasSuffix)
    ),
    method(
      "split",
      "(separator: text)",
      of: .string,
      takes: [.value(.string, label: "separator")],
      "The parts between the separators, without empty ones.",
      #""a,b,,c".split(separator: ",")"#,
      #"["a","b","c"]"#,
      gives: .array,
      does: .pieces,
      .binary(Texts.split)
    ),
    property(
      "trimmed",
      of: .string,
      "The text without leading and trailing white space.",
      #""  tea\n".trimmed"#,
      #""tea""#,
      gives: .string,
      does: .pieces,
      .unary(Texts.trimmed)
    ),
    method(
      "replacing",
      "(text, with: text)",
      of: .string,
      takes: [.value(.string), .value(.string, label: "with")],
      "The text with every occurrence replaced.",
      #""a-b-c".replacing("-", with: "+")"#,
      #""a+b+c""#,
      gives: .string,
      does: .pieces,
      .ternary(Texts.replacing)
    ),
  ]
}
