import FlowLanguage
import FlowWire

/// A row of an answer as a JSON object: the first word is the `kind`; parts and fields are members.
enum RowRecord {
  /// Returns a row of the answer to `verb` as an object on one line.
  static func json(_ row: String, of verb: Verb?) -> String {
    let mayBeMetric = verb == .stats || (verb == nil && isMetric(row))
    if mayBeMetric, let metric = MetricRow(row) {
      let labels = JSONLine.texts(metric.labels.map { ($0.name, $0.value) })
      return JSONLine.object([
        ("metric", JSONText.string(metric.name)), ("labels", labels), ("value", json(metric.value)),
      ])
    }
    if verb == .help || mayBeMetric { return JSONLine.texts([("text", row)]) }
    return JSONLine.object(members(of: Row(row)))
  }

  private static func isMetric(_ row: String) -> Bool {
    ["flow_", "process_"].contains(where: row.hasPrefix)
  }

  private static func members(of row: Row) -> [(key: String, json: String)] {
    var members = [(key: "kind", json: JSONText.string(row.kind.word))]
    if let key = row.kind.name {
      let json = row.kind == .client ? json(row.name) : JSONText.string(row.name)
      members.append((key: key, json: json))
    }
    var rest = row.fields.all.map { field in
      (key: field.key, json: field.value.map { json($0, isText: field.isQuoted) } ?? "true")
    }
    if let key = row.kind.text {
      // The text of a failure, or of a value left out, follows its age.
      let isAfter = [.failure, .leftOut].contains(row.kind)
      let place = isAfter ? rest.endIndex : rest.startIndex
      rest.insert((key: key, json: JSONText.string(row.text)), at: place)
    }
    return members + rest
  }

  /// Returns a number unchanged, unless it is too long for some programs, and other text as a
  /// string.
  private static func json(_ text: String, isText: Bool = false) -> String {
    guard !isText, (1...15).contains(text.utf8.count), let first = text.utf8.first,
      (0x30...0x39).contains(first) || first == UInt8(ascii: "-"), Double(text) != nil
    else { return JSONText.string(text) }
    var number = text
    let isJSON = number.withUTF8 { unsafe JSONText.isJSON(UnsafeRawBufferPointer($0)) }
    return isJSON ? text : JSONText.string(text)
  }
}
