extension FunctionTable {
  static let times: [FunctionEntry] = [
    FunctionEntry(
      name: "now",
      signature: "now",
      summary: "The seconds since the beginning of 1970; in a test, since its beginning.",
      example: "now",
      result: "0.0",
      role: .value,
      receiver: [],
      parameters: [],
      gives: .double,
      body: .alone(Moments.now),
      work: .glance
    ),
    function(
      "Date",
      "()",
      takes: [],
      "The same as now.",
      "Date()",
      "0.0",
      gives: .double,
      .alone(Moments.now)
    ),
    function(
      "Date",
      "(text)",
      takes: .string,
      "The seconds since 1970 of a time in ISO 8601, in UTC without a zone; null if it is none.",
      #"Date("2026-11-25T12:00:00Z")"#,
      "1795608000.0",
      gives: [.double, .null],
      .unary(Moments.date)
    ),
    method(
      "ISO8601Format",
      "()",
      of: .number,
      "The text of a time in ISO 8601, in UTC; with milliseconds if it is no whole second.",
      "1795608000.5.ISO8601Format()",
      #""2026-11-25T12:00:00.500Z""#,
      gives: .string,
      .unary(Moments.iso8601)
    ),
  ]
}
