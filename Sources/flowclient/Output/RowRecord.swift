import FlowLanguage
import FlowWire

/// A row of an answer as an object of JSON: its first word is the `kind`, what it names a member each.
struct RowRecord {
  private var members: [(key: String, json: String)] = []

  /// The object for a row of the answer to `verb`, on one line.
  static func json(_ row: String, of verb: Verb?) -> String {
    var record = RowRecord()
    switch verb {
    case .help: record.add("text", row)
    case .stats: record.readMetric(row)
    case nil where ["flow_", "process_"].contains(where: row.hasPrefix): record.readMetric(row)
    default: record.read(row)
    }
    return JSONLine.object(record.members)
  }

  // MARK: Rows

  private mutating func read(_ row: String) {
    let (kind, rest) = Self.cut(row)
    // The figures of SHOW are those of the name itself.
    guard !kind.contains("=") else {
      add("kind", "figures")
      return readFields(row[...])
    }
    add("kind", kind)
    switch kind {
    case "subject": readDefined(rest, "settings", figures: " flow=", sign: " ")
    case "pipeline": readDefined(rest, "text", figures: nil, sign: " = ")
    case "run": readDefined(rest, "text", figures: " state=", sign: " = ")
    case "definition", "completed", "topology", "sample": add("text", String(rest))
    case "stage", "inner":
      if let stage = Explained.Stage(answer: row) { add(stage) } else { readStage(rest) }
    case "total": readQuoted(rest)
    case "failure":
      let (code, text) = Self.cut(rest)
      add("code", code)
      let (ago, message) = Self.cut(text)
      if ago.hasPrefix("ago=") {
        readFields(ago[...])
        add("text", String(message))
      } else {
        add("text", String(text))
      }
    case "service":
      let (name, fields) = Self.cut(rest)
      add("name", name)
      readFields(fields)
    case "client":
      let (number, fields) = Self.cut(rest)
      add("client", number)
      readFields(fields)
    default: readFields(rest)
    }
  }

  /// `NAME TEXT FIGURES`, where the figures begin at the last `figures`.
  private mutating func readDefined(
    _ rest: Substring,
    _ key: String,
    figures: String?,
    sign: String
  ) {
    let (name, _) = Self.cut(rest)
    add("name", name)
    var text = rest.dropFirst(name.count)
    if text.hasPrefix(sign) { text = text.dropFirst(sign.count) }
    let start = figures.flatMap { text.ranges(of: $0).last?.lowerBound }
    add(key, String(start.map { text[..<$0] } ?? text))
    if let start { readFields(text[start...]) }
  }

  /// What EXPLAIN tells of a stage.
  private mutating func add(_ stage: Explained.Stage) {
    add("number", text: stage.number)
    add("stage", stage.text)
    if let pipeline = stage.pipeline { add("of", pipeline) }
    add("asks", text: stage.asks)
    add("holds", text: stage.holds)
    add("full", text: stage.full)
    add("ends", text: stage.ends)
  }

  /// `N TEXT` and what SHOW tells of a stage.
  private mutating func readStage(_ rest: Substring) {
    let (number, text) = Self.cut(rest)
    add("number", text: number)
    let start = text.ranges(of: " in=").last { text[$0.upperBound...].first?.isNumber ?? false }
    add("stage", String(start.map { text[..<$0.lowerBound] } ?? text))
    if let start { readFields(text[start.lowerBound...]) }
  }

  private mutating func readMetric(_ row: String) {
    guard let metric = MetricRow(row) else { return add("text", row) }
    add("metric", metric.name)
    members.append(("labels", JSONLine.texts(metric.labels.map { ($0.name, $0.value) })))
    add("value", metric.value)
  }

  // MARK: Fields

  /// `KEY=VALUE` each, or a word that is true by being there.
  private mutating func readFields(_ text: Substring) {
    for word in text.split(separator: " ") {
      guard let equals = word.firstIndex(of: "=") else {
        members.append((String(word), "true"))
        continue
      }
      add(String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
  }

  /// `KEY="VALUE"` each; no value has a quote in it.
  private mutating func readQuoted(_ text: Substring) {
    var rest = text
    while let equals = rest.firstRange(of: "=\"") {
      let value = rest[equals.upperBound...].prefix { $0 != "\"" }
      let key = rest[..<equals.lowerBound].drop { $0 == " " }
      // Before it there may be one that is not quoted, `resume=…`.
      let words = key.split(separator: " ")
      for word in words.dropLast() { readFields(word) }
      add(String(words.last ?? key), text: String(value))
      rest = rest[value.endIndex...].dropFirst()
    }
    readFields(rest)
  }

  private mutating func add(_ key: String, _ text: String) {
    members.append((key, Self.isNumber(text) ? text : JSONText.string(text)))
  }

  private mutating func add(_ key: String, text: String) {
    members.append((key, JSONText.string(text)))
  }

  /// Whether it is a number as JSON has them, and no longer than all programs can read.
  private static func isNumber(_ text: String) -> Bool {
    guard (1...15).contains(text.utf8.count), let first = text.utf8.first,
      (0x30...0x39).contains(first) || first == UInt8(ascii: "-"), Double(text) != nil
    else { return false }
    var text = text
    return text.withUTF8 { unsafe JSONText.isJSON(UnsafeRawBufferPointer($0)) }
  }

  /// The first word, and what is behind the blank after it.
  private static func cut(_ text: some StringProtocol) -> (String, Substring) {
    let text = Substring(text)
    let word = text.prefix { $0 != " " }
    return (String(word), text[word.endIndex...].dropFirst())
  }
}
