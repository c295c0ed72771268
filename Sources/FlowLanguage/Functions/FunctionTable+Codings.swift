extension FunctionTable {
  static let codings: [FunctionEntry] = [
    method(
      "base64Encoded",
      "()",
      of: .string,
      "The bytes of the text in UTF-8, as Base64.",
      #""tea".base64Encoded()"#,
      #""dGVh""#,
      gives: .string,
      does: .pieces,
      .unary(Codings.base64Encoded)
    ),
    method(
      "base64Decoded",
      "()",
      of: .string,
      "The text that is written as Base64, in the alphabet for URLs, too.",
      #""dGVh".base64Decoded()"#,
      #""tea""#,
      gives: .string,
      does: .pieces,
      .unary(Codings.base64Decoded)
    ),
    method(
      "hexEncoded",
      "()",
      of: .string,
      "The bytes of the text in UTF-8, in hexadecimal digits.",
      #""tea".hexEncoded()"#,
      #""746561""#,
      gives: .string,
      does: .pieces,
      .unary(Codings.hexEncoded)
    ),
    method(
      "hexDecoded",
      "()",
      of: .string,
      "The text that is written in hexadecimal digits.",
      #""746561".hexDecoded()"#,
      #""tea""#,
      gives: .string,
      does: .pieces,
      .unary(Codings.hexDecoded)
    ),
    function(
      "JSON",
      "(text)",
      takes: .string,
      "The value that the text is the JSON of; null if it is none.",
      ##"JSON("{\"n\": [1, 2]}").n"##,
      "[1,2]",
      gives: .any,
      does: .pieces,
      .unary(Codings.value)
    ),
    function(
      "JSONText",
      "(value)",
      takes: [.spelled(.any)],
      "The value as JSON, strings as well.",
      #"JSONText("tea")"#,
      #""\"tea\"""#,
      gives: .string,
      does: .writing,
      .unary(Codings.json)
    ),
  ]
}
