/// How far the lines of a command are indented, one after the other.
struct Indents {
  private var scanner = LineScanner()
  /// The indents of the lines that opened the brackets there are.
  private var openers: [Int] = []
  private var isFirst = true

  /// Whether the next line stands inside brackets.
  var isInside: Bool { scanner.isInside }

  /// The indent of a comment in the next line.
  var ofComment: Int { openers.last.map { $0 + 2 } ?? 2 }

  /// The indent of the next line, which is this one.
  mutating func next(_ line: [Character]) -> Int {
    let indent = indent(of: line)
    isFirst = false
    openers = Array(openers.prefix(lowest(in: line)))
    _ = scanner.scan(line)
    while openers.count < scanner.depth { openers.append(indent) }
    return indent
  }

  private func indent(of line: [Character]) -> Int {
    if isFirst { return 0 }
    let closers = line.prefix { ")]}".contains($0) }.count
    if closers > 0, !openers.isEmpty { return openers[max(0, openers.count - closers)] }
    guard let opener = openers.last else { return 2 }
    return opener + (line.first == "." ? 4 : 2)
  }

  /// How many brackets are still open at the lowest point of a line.
  private func lowest(in line: [Character]) -> Int {
    var scanner = LineScanner()
    var depth = openers.count
    var lowest = depth
    _ = scanner.scan(line) { index, _ in
      if "([{".contains(line[index]) { depth += 1 }
      if ")]}".contains(line[index]) { depth -= 1 }
      lowest = min(lowest, depth)
    }
    return max(0, lowest)
  }
}
