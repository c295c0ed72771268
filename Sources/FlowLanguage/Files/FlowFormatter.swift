/// Writes a file in its canonical layout, with all comments; what it means stays the same.
///
/// Line breaks stay where they are, except that a line of more than 100 characters is broken
/// before the operators of its pipeline.
struct FlowFormatter {
  private let file: FlowFile
  private let lines: [[Character]]
  private(set) var output: [String] = []
  private static let widest = 100

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
    let text = line.drop { $0.isWhitespace }
    return Array(text.reversed().drop { $0.isWhitespace }.reversed())
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
    /// The indents of the lines that opened the brackets there are.
    var openers: [Int] = []
    for number in line.number...line.lastNumber {
      let raw = Self.trimmed(lines[number - 1])
      guard let first = raw.first, first != "#" else {
        if !raw.isEmpty { emit(raw, indent: openers.last.map { $0 + 2 } ?? 2) }
        continue
      }
      let indent = indent(of: raw, openers, isFirst: number == line.number)
      var (text, comment) = Self.parts(raw, &scanner)
      openers = Array(openers.prefix(max(0, closing(raw, openers.count))))
      while openers.count < scanner.depth { openers.append(indent) }
      if number == line.number { text = Self.command(text) }
      let isAlone = line.number == line.lastNumber
      if isAlone, text.count > Self.widest {
        for (index, piece) in Self.broken(text).enumerated() {
          emit(String(piece) + (index == 0 ? comment : ""), indent: index == 0 ? 0 : 2)
        }
      } else {
        emit(String(text) + comment, indent: indent)
      }
    }
    return line.lastNumber + 1
  }

  /// How many of `count` brackets are still open at the lowest point of a line.
  private func closing(_ line: [Character], _ count: Int) -> Int {
    var scanner = LineScanner()
    var depth = count
    var lowest = count
    _ = scanner.scan(line) { index, _ in
      if "([{".contains(line[index]) { depth += 1 }
      if ")]}".contains(line[index]) { depth -= 1 }
      lowest = min(lowest, depth)
    }
    return lowest
  }

  private func indent(of line: [Character], _ openers: [Int], isFirst: Bool) -> Int {
    if isFirst { return 0 }
    let closers = line.prefix { ")]}".contains($0) }.count
    if closers > 0, !openers.isEmpty { return openers[max(0, openers.count - closers)] }
    guard let opener = openers.last else { return 2 }
    return opener + (line.first == "." ? 4 : 2)
  }

  /// The first line of a command: its verb in upper case, blanks around the `=`.
  private static func command(_ text: [Character]) -> [Character] {
    let verb = String(text.prefix { !$0.isWhitespace })
    guard FlowFile.commands.contains(verb.uppercased()) else { return text }
    let rest = trimmed(text.dropFirst(verb.count))
    let head = Array(verb.uppercased() + " ")
    guard verb.uppercased() != "SUBJECT", let equals = rest.firstIndex(of: "=") else {
      return head + rest
    }
    let expression = trimmed(rest[(equals + 1)...])
    return trimmed(head + trimmed(rest[..<equals]) + [" ", "=", " "] + expression)
  }

  /// The text in pieces that begin with the dots of its operators.
  private static func broken(_ text: [Character]) -> [[Character]] {
    var pieces: [[Character]] = []
    var start = 0
    var scanner = LineScanner()
    let begin = (text.firstIndex(of: "=") ?? 0) + 2
    _ = scanner.scan(text) { index, depth in
      guard depth == 0, index > begin, text[index] == ".", index + 1 < text.count,
        text[index + 1].isLetter, String(text[begin..<index]) != "Timer"
      else { return }
      pieces.append(Array(text[start..<index]))
      start = index
    }
    return pieces + [Array(text[start...])]
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
      emit(title + row.text, indent: 4)
      number += 1
    }
    return number
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
