/// Cuts the lines of a file into statements, one after the other.
struct FlowFileReader {
  private let lines: [[Character]]
  private var index = 0

  init(_ lines: [String]) { self.lines = lines.map(Array.init) }

  /// Reads the next statement or what stands before it.
  ///
  /// - Returns: whether there was a line left.
  mutating func readStatement(into file: inout FlowFile) -> Bool {
    guard index < lines.count else { return false }
    let line = lines[index]
    guard let start = start(of: line) else {
      index += 1
      return true
    }
    if line[start] == "#" {
      noteComment(into: &file)
    } else if line[start] == "." {
      let message = "a line that begins with \".\" must continue a PIPELINE or RUN"
      file.findings.append(
        file.finding(.error, message, line: index + 1, column: start + 1, length: 1)
          .hidingRestOfLine
      )
      index += 1
    } else {
      readStatement(from: start, into: &file)
    }
    return true
  }

  private mutating func readStatement(from start: Int, into file: inout FlowFile) {
    switch word(of: lines[index], at: start).lowercased() {
    case "pipeline", "run":
      file.statements.append(.init(kind: .command, line: expressionLines(from: start, &file)))
    case "set": readSetting(into: &file)
    case "include": readInclude(into: &file)
    case "test": readTest(into: &file)
    default: file.statements.append(.init(kind: .command, line: oneLine()))
    }
  }

  private mutating func noteComment(into file: inout FlowFile) {
    let text = String(lines[index]).drop { $0.isWhitespace || $0 == "#" }
    file.comments.append(.init(line: index + 1, text: trimmed(text)))
    index += 1
  }

  // MARK: Lines

  /// The first character that is no blank.
  private func start(of line: [Character]) -> Int? { line.firstIndex { !$0.isWhitespace } }

  private func word(of line: [Character], at start: Int) -> String {
    String(line[start...].prefix { !$0.isWhitespace })
  }

  private func trimmed(_ text: some StringProtocol) -> String {
    guard let end = text.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(text[...end])
  }

  /// The present line without its comment and the blanks around it.
  private mutating func oneLine() -> LogicalLine {
    var scanner = LineScanner()
    var result = LogicalLine()
    append(to: &result, &scanner)
    return result
  }

  private mutating func append(to result: inout LogicalLine, _ scanner: inout LineScanner) {
    let line = lines[index]
    let start = start(of: line) ?? 0
    let end = scanner.scan(line, from: start) ?? line.count
    let text = trimmed(String(line[start..<end]))
    index += 1
    if !text.isEmpty { result.append(text, line: index, column: start + 1) }
  }

  /// The present line and those that it goes on over.
  private mutating func expressionLines(from start: Int, _ file: inout FlowFile) -> LogicalLine {
    var scanner = LineScanner()
    var result = LogicalLine()
    append(to: &result, &scanner)
    while let next = nextContent(), goesOn(lines[next], scanner.isInside) {
      while index < next {
        if self.start(of: lines[index]) == nil { index += 1 } else { noteComment(into: &file) }
      }
      append(to: &result, &scanner)
    }
    return result
  }

  /// The next line that is neither blank nor a comment.
  private func nextContent() -> Int? {
    lines.indices[index...].first { number in
      start(of: lines[number]).map { lines[number][$0] != "#" } ?? false
    }
  }

  private func goesOn(_ line: [Character], _ isInside: Bool) -> Bool {
    guard let start = start(of: line) else { return false }
    return line[start] == "." || (isInside && !beginsStatement(line, at: start))
  }

  /// Whether a line inside brackets that were never closed is the next statement all the same.
  private func beginsStatement(_ line: [Character], at start: Int) -> Bool {
    let words = String(line[start...]).split(maxSplits: 2) { $0.isWhitespace }
    guard words.count > 1, words[1] != "in",
      words[1].first.map({ $0.isLetter || "_\"/.".contains($0) }) ?? false
    else { return false }
    return FlowFile.commands.contains(words[0].uppercased())
      || FlowFile.words.contains(words[0].lowercased())
  }

  // MARK: What is no command

  private mutating func readSetting(into file: inout FlowFile) {
    let line = oneLine()
    let words = line.text.split { $0.isWhitespace }
    guard words.count == 3 else {
      let message = "set takes a key and a value, as in: set value-limit 64KiB"
      let finding = file.finding(.error, message, in: line, at: 0, length: line.text.count)
      return file.findings.append(finding)
    }
    let kind = FlowFile.Statement.Kind.set(key: String(words[1]), value: String(words[2]))
    file.statements.append(.init(kind: kind, line: line))
  }

  private mutating func readInclude(into file: inout FlowFile) {
    let line = oneLine()
    var path = trimmed(line.text.dropFirst(7).drop { $0.isWhitespace })
    if path.count > 1, path.first == "\"", path.last == "\"" {
      path = String(path.dropFirst().dropLast())
    }
    guard !path.isEmpty else {
      let message = "include takes a path, as in: include subjects.flow"
      let finding = file.finding(.error, message, in: line, at: 0, length: line.text.count)
      return file.findings.append(finding)
    }
    file.statements.append(.init(kind: .include(path: path), line: line))
  }

  private mutating func readTest(into file: inout FlowFile) {
    let line = oneLine()
    var test = MarbleTest(line)
    do {
      try test.readHeader(of: file)
    } catch {
      file.findings.append(error)
    }
    while index < lines.count {
      let row = lines[index]
      if let start = start(of: row) {
        if row[start] == "#" {
          noteComment(into: &file)
          continue
        }
        guard start > 0 else { break }
        do {
          try test.readRow(row, number: index + 1, of: file)
        } catch {
          file.findings.append(error)
        }
      }
      index += 1
    }
    file.statements.append(.init(kind: .test(test), line: line))
  }
}
