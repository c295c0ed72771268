internal import Spelling

/// A `test` of a file: what goes in, what is asked for, and what has to come out, tick by tick.
public struct MarbleTest: Sendable {
  /// What stands in quotes behind `test`.
  public internal(set) var name = ""
  /// How long a tick is, in nanoseconds.
  public internal(set) var tick = 1_000_000_000
  public internal(set) var rows: [Row] = []
  /// Its first line.
  public let line: LogicalLine

  /// One line of the test.
  public struct Row: Sendable {
    /// What the line is about.
    public enum Kind: Sendable {
      /// Into a subject, out of a pipeline or run, or what a service is asked.
      case values
      /// What the subscriber of a pipeline asks for.
      case demand
      /// How many values are dropped on the way to the subscriber.
      case drops(Int)
      /// What a service answers: the text of a closure, and its column, from 1.
      case service(closure: String, column: Int)
    }

    /// The subject, pipeline, run or service.
    public let name: String
    public let kind: Kind
    /// What happens in each tick.
    public let ticks: [[Marble]]
    /// Its line in the file.
    public let number: Int
    /// Where the name begins, from 1.
    public let column: Int
    /// What stands behind the name and the arrow, comment included.
    let text: String
  }

  init(_ line: LogicalLine) { self.line = line }

  /// Whether it says what a service of this name answers.
  public func serves(_ name: String) -> Bool {
    rows.contains { row in
      if case .service = row.kind { row.name == name } else { false }
    }
  }

  /// Reads `test "NAME" [tick TIME]`.
  mutating func readHeader(of file: FlowFile) throws(Finding) {
    let text = Array(line.text)
    let wrong = { [line] (offset: Int, message: String) in
      file.finding(.error, message, in: line, at: offset, length: max(1, text.count - offset))
    }
    let form = "as in: test \"slow ones wait\" tick 1s"
    guard let open = text.firstIndex(of: "\""),
      let close = text[(open + 1)...].firstIndex(of: "\"")
    else { throw wrong(0, "expected the name of the test in quotes, \(form)") }
    name = String(text[(open + 1)..<close])
    let rest = String(text[(close + 1)...]).split { $0.isWhitespace }
    guard !rest.isEmpty else { return }
    guard rest[0] == "tick", rest.count == 2 else {
      throw wrong(close + 2, "expected only a tick after the name, \(form)")
    }
    guard let tick = Self.time(rest[1]), tick > 0 else {
      let place = text.count - rest[1].count
      throw wrong(place, "tick is \"\(rest[1].excerpt())\", expected a time such as 100ms or 1s")
    }
    self.tick = tick
  }

  private static func time(_ text: Substring) -> Int? {
    for (unit, length) in [("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)]
      as [(String, Int)]
    where text.hasSuffix(unit) {
      guard let count = Int(text.dropLast(unit.count)) else { continue }
      let (product, overflow) = count.multipliedReportingOverflow(by: length)
      return overflow || product > 3_600_000_000_000 ? nil : product
    }
    return nil
  }

  /// Reads `NAME MARBLES`, `NAME ⇠ DEMAND`, `NAME ⇣ COUNT` or `serve NAME { … }`.
  mutating func readRow(_ line: [Character], number: Int, of file: FlowFile) throws(Finding) {
    var reader = MarbleReader(line, number: number, file: file)
    rows.append(try reader.row())
  }
}
