internal import FlowLanguage

extension Tape {
  /// The same as a file with a test, which passes.
  public var testFile: String { testFile(until: ticks) }

  /// What happens in the first `count` ticks, as a file with a test.
  public func testFile(until count: Int) -> String {
    let name = test.name
    var rows = test.rows.map { row in
      if case .service(let closure, _) = row.kind { return (row.title, closure.onOneLine) }
      return (row.title, row.ticks.prefix(count).map(\.self).row)
    }
    let last = [
      output.prefix(count).lastIndex { !$0.isEmpty } ?? 0,
      drops.keys.filter { $0 < count }.max() ?? 0,
      test.rows.map { $0.ticks.prefix(count).lastIndex { !$0.isEmpty } ?? 0 }.max() ?? 0,
    ]
    let length = (last.max() ?? 0) + 1
    let output = output.prefix(length) + Array(repeating: [], count: max(0, length - output.count))
    rows.append((name, output.map(\.written).joined()))
    let dropped = drops.reduce(0) { $1.key < length ? $0 + $1.value : $0 }
    rows.append(("\(name) ⇣", "\(dropped)"))
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    let lines = rows.map { title, text in
      "    \(title)\(String(repeating: " ", count: width - title.count))\(text)"
    }
    let expression = "PIPELINE \(name) = \(expression.onOneLine)"
    return (definitions + [expression, "", "test \"\(name)\" tick \(tick)ms"] + lines)
      .joined(separator: "\n") + "\n"
  }
}

extension [[Marble]] {
  /// The row of a file, without the ticks at its end in which nothing happens.
  fileprivate var row: String {
    let ticks = prefix((lastIndex { !$0.isEmpty } ?? 0) + 1)
    return ticks.isEmpty ? "-" : ticks.map(\.written).joined()
  }
}

extension [Marble] {
  /// One tick, however much happens in it.
  fileprivate var written: String {
    switch count {
    case 0: "-"
    case 1: self[0].written
    default: "[\(map(\.written).joined())]"
    }
  }
}

extension Marble {
  /// Its text on one line, which reads as the same value whatever stands beside it.
  fileprivate var written: String {
    guard case .value(let value) = self else { return text }
    // A quote or a letter must not become one character with what stands beside it.
    let mayJoin = value.count == 1 && !value.utf8.allSatisfy { $0 < 0x80 }
    if value.contains(where: \.isNewline) || "'\(value)'".count != value.count + 2 || mayJoin {
      return Marble.value(Self.payload(value).asciiText).text
    }
    return text
  }
}

extension Value {
  /// Its JSON in ASCII.
  fileprivate var asciiText: String {
    let json = unsafe decoded.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return json.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isASCII { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
      }
    }
  }
}
