import Programs

struct SendRequest: ClientCommand {
  var name = ""
  /// The values; if empty, they come from files or standard input.
  var values: [String] = []
  /// Files, each a value; `-` is standard input.
  var files: [String] = []
  /// The size of each value in bytes; `nil` splits standard input at line ends and keeps files
  /// whole.
  var chunk: Int?
  /// Whether the subject is completed after the last value.
  var endsSubject = false
  /// Whether to exit with 1 if a subscriber missed a value, or a value found no subscriber.
  var failsOnMiss = false
  /// How often the value is sent, with its number for `{n}`; `nil` sends it once, unchanged.
  var count: UInt64?
  /// Values per second; `nil` is as many as are granted.
  var rate: Double?
  var form = Form.text
  /// Whether NUL ends a value instead of a line end.
  var endsWithNull = false
  var timeout: Duration?

  /// The format of standard input.
  enum Form: String, CaseIterable {
    case text
    case raw
    /// Records, each an object with the fields as members.
    case csv
    case ndjson
    /// Lines with an object each, which contains a value.
    case json
  }

  static let entry = VerbEntry(
    SendRequest(),
    usage: "send NAME [VALUE…]",
    group: .values,
    summary: "publish values; without VALUE, the lines of standard input",
    remark: "Every line is a value, also an empty one and one that begins with # or //.",
    operand: .subject,
    options: [
      .list(
        "file",
        .file,
        "send the content of FILE as one value (- is standard input); may be repeated",
        \.files
      ),
      .value(
        "chunks",
        .size,
        "cut standard input, or each FILE, into values of SIZE bytes: 4096, 64k",
        \.chunk
      ),
      .value("format", .choice("FORM"), "text (a line a value), raw, csv, ndjson or json", \.form),
      .null(\.endsWithNull),
      .flag("end", "complete the subject behind the last value, as DONE does", \.endsSubject),
      .flag(
        "fail-on-miss",
        "exit 1 if a subscriber missed a value, or nobody was there for one; "
          + "a subject in NATS stores values and tells of neither",
        \.failsOnMiss
      ),
      .value("count", .number, "send VALUE N times; {n} in it is replaced by its number", \.count),
      .rate("values per second, 50k/s; default: no limit", \.rate),
      .timeout(\.timeout),
    ],
    examples: [
      "flowclient send orders '{\"id\":1}'", "seq 100000 | flowclient send orders",
      "flowclient send orders --count 100 --rate 50/s '{\"id\":{n}}'",
      "zcat saved.gz | flowclient send copies --format json",
      "cat orders.csv | flowclient send orders --format csv",
      "flowclient send pictures --file cat.jpg", "flowclient send log --end < access.log",
      "flowclient send alarms --fail-on-miss fire",
    ]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    guard let name = words.operands.first else {
      throw UsageError("send needs a NAME", advice: words.example)
    }
    self.name = try CommandWords.name(name)
    values = Array(words.operands.dropFirst())
    if count != nil, values.count != 1 {
      throw UsageError(
        "--count needs exactly one VALUE, but there are \(values.count)",
        advice: "as in: flowclient send orders --count 100 '{\"id\":{n}}'"
      )
    }
    let isUsual = form == .text && !endsWithNull
    let option = form == .text ? "-0" : "--format \(form.rawValue)"
    if !isUsual, !values.isEmpty {
      throw UsageError("\(option) is for values from standard input")
    }
    if !values.isEmpty, !files.isEmpty || chunk != nil {
      let option = files.isEmpty ? "--chunks" : "--file"
      throw UsageError("\(option) is given, and so is a VALUE; the values come from one of them")
    }
    if !isUsual, !files.isEmpty || chunk != nil {
      throw UsageError("\(option) is for standard input, not for --file or --chunks")
    }
    if endsWithNull, ![.text, .raw].contains(form) {
      throw UsageError("-0 cannot be combined with \(option), which is read line by line")
    }
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    var sending = Sending(self, session)
    return try await sending.run()
  }
}

extension OptionType<String> {
  fileprivate static var file: Self {
    Self("FILE", "the path of a file") { $0.isEmpty ? nil : $0 }
  }
}
