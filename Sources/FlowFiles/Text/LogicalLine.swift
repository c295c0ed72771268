/// A line as on the wire, made of one or more lines of a file.
public struct LogicalLine: Hashable, Sendable {
  /// The text, its parts joined by blanks where a line ended inside brackets.
  public private(set) var text = ""
  /// How many characters the text has: to count them takes as long as it is.
  private var count = 0
  private var parts: [Part] = []

  /// Where a part of the text comes from.
  private struct Part: Hashable {
    /// In characters from 0.
    let start: Int
    let line: Int
    let column: Int
  }

  /// The number of its first line.
  public var number: Int { parts.first?.line ?? 0 }

  /// The number of its last line.
  public var lastNumber: Int { parts.last?.line ?? 0 }

  init() {}

  /// Adds what stands at `column` of a line of the file.
  mutating func append(_ part: some StringProtocol, line: Int, column: Int) {
    let isApart = !text.isEmpty && !part.hasPrefix(".")
    parts.append(Part(start: count + (isApart ? 1 : 0), line: line, column: column))
    let added = isApart ? " \(part)" : String(part)
    text += added
    count += added.count
  }

  /// The line and the column, from 1, of the character that has `offset` in the text.
  public func place(of offset: Int) -> (line: Int, column: Int) {
    guard let part = parts.last(where: { $0.start <= offset }) ?? parts.first else { return (1, 1) }
    return (part.line, part.column + max(0, offset - part.start))
  }

  /// How many characters of `length` from `offset` on stand on one line of the file.
  func lengthOnLine(from offset: Int, _ length: Int) -> Int {
    guard let next = parts.first(where: { $0.start > offset }) else { return length }
    return min(length, next.start - offset)
  }
}
