internal import FlowLanguage

/// Writes a file in its canonical layout, with all comments; what it means stays the same.
///
/// Line breaks stay where they are, except that a line of more than 100 characters is broken
/// before the operators of its pipeline. Within lines the blanks are those of `ExpressionLayout`.
struct FlowFormatter {
  private let file: FlowFile
  private let lines: [[Character]]
  private(set) var output: [String] = []

  init(_ file: FlowFile) {
    self.file = file
    lines = file.lines.map(Array.init)
  }

  mutating func run() {
    var number = 1
    for statement in file.statements {
      while number < statement.line.number { number = copy(number, indent: 0) }
      switch statement.kind {
      case .test(let test): number = write(test)
      case .set, .include: number = writeLine(number)
      case .command: number = write(statement.line)
      }
    }
    while number <= lines.count { number = copy(number, indent: 0) }
    while output.last == "" { output.removeLast() }
  }

  // MARK: Lines

  /// Copies a line between statements: a comment or nothing.
  private mutating func copy(_ number: Int, indent: Int) -> Int {
    let text = Self.trimmed(lines[number - 1])
    if !text.isEmpty {
      emit(text, indent: indent)
    } else if let last = output.last, !last.isEmpty {
      output.append("")
    }
    return number + 1
  }

  private mutating func emit(_ text: some Sequence<Character>, indent: Int) {
    output.append(String(repeating: " ", count: indent) + String(text))
  }

  private static func trimmed(_ line: some Collection<Character>) -> [Character] {
    Array(line).trimmed
  }

  /// The text without its comment and needless blanks, and the comment behind two blanks.
  private static func parts(
    _ line: [Character],
    _ scanner: inout LineScanner
  ) -> (text: [Character], comment: String) {
    var kept: [Character] = []
    var blanks: Set<Int> = []
    let line = trimmed(line)
    let end = scanner.scan(line) { index, _ in
      if line[index].isWhitespace { blanks.insert(index) }
    }
    if scanner.endsInQuotes { return (line, "") }
    for index in 0..<(end ?? line.count) {
      guard blanks.contains(index) else {
        kept.append(line[index])
        continue
      }
      if !blanks.contains(index + 1) { kept.append(" ") }
    }
    return (trimmed(kept), end.map { "  " + String(line[$0...]) } ?? "")
  }

  /// `set` and `include`: one line, its word in lower case.
  private mutating func writeLine(_ number: Int) -> Int {
    var scanner = LineScanner()
    let (text, comment) = Self.parts(lines[number - 1], &scanner)
    let word = text.prefix { !$0.isWhitespace }
    emit(String(word).lowercased() + String(text.dropFirst(word.count)) + comment, indent: 0)
    return number + 1
  }

  // MARK: Commands

  private mutating func write(_ line: LogicalLine) -> Int {
    var scanner = LineScanner()
    var indents = Indents()
    let layout = ExpressionLayout(definition: line.text) { line.place(of: $0).line }
    for number in line.number...line.lastNumber {
      let raw = Self.trimmed(lines[number - 1])
      guard let first = raw.first, first != "#" else {
        if !raw.isEmpty { emit(raw, indent: indents.ofComment) }
        continue
      }
      let (written, comment) = Self.parts(raw, &scanner)
      var text = written
      if number == line.number {
        text = Self.command(text, layout.map { $0.lines[number] ?? "" })
      } else if let laidOut = layout?.lines[number] {
        text = Array(laidOut)
      }
      let width = text.count + (number == line.number ? 0 : 2)
      // What is no expression may be no line that goes on.
      let isLong = layout != nil && !indents.isInside && width > LongLine.widest
      let pieces = isLong ? LongLine.pieces(of: text) : [text]
      for (index, piece) in pieces.enumerated() {
        let isLast = index == pieces.count - 1
        emit(String(piece) + (isLast ? comment : ""), indent: indents.next(piece))
      }
    }
    return line.lastNumber + 1
  }

  /// The first line of a command: its verb in upper case, blanks around the `=`, and behind that
  /// the expression, if it is known in its canonical form.
  private static func command(_ text: [Character], _ expression: String?) -> [Character] {
    let verb = String(text.prefix { !$0.isWhitespace })
    guard FlowFile.commands.contains(verb.uppercased()) else { return text }
    let rest = trimmed(text.dropFirst(verb.count))
    let head = Array(verb.uppercased() + " ")
    guard verb.uppercased() != "SUBJECT", let equals = ExpressionLayout.equals(of: rest, behind: 1)
    else {
      return head + rest
    }
    let behind = expression.map(Array.init) ?? trimmed(rest[(equals + 1)...])
    return trimmed(head + trimmed(rest[..<equals]) + [" ", "=", " "] + behind)
  }

  // MARK: Tests

  private mutating func write(_ test: MarbleTest) -> Int {
    var scanner = LineScanner()
    let (header, comment) = Self.parts(lines[test.line.number - 1], &scanner)
    emit("test" + String(header.dropFirst(4)) + comment, indent: 0)
    let width = (test.rows.map(\.title.count).max() ?? 0) + 2
    var number = test.line.number + 1
    for row in test.rows {
      while number < row.number { number = copy(number, indent: 4) }
      let title = row.title + String(repeating: " ", count: width - row.title.count)
      emit(title + Self.text(of: row), indent: 4)
      number += 1
    }
    return number
  }

  /// What stands behind the title of a row: a closure laid out, marbles as they are.
  private static func text(of row: MarbleTest.Row) -> String {
    guard case .service(let closure, _) = row.kind,
      let laidOut = ExpressionLayout.text(of: closure)
    else { return row.text }
    let comment = trimmed(Array(row.text.dropFirst(closure.count)))
    return comment.isEmpty ? laidOut : "\(laidOut)  \(String(comment))"
  }
}

extension FlowFile {
  /// The file in its canonical layout; what it means stays the same.
  public var formatted: String {
    var formatter = FlowFormatter(self)
    formatter.run()
    return formatter.output.map { "\($0)\n" }.joined()
  }
}
