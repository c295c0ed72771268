/// A `.flow` file, cut into statements; nothing in these is looked into yet.
///
/// A line is a statement. A `PIPELINE` or `RUN` goes on over lines that begin with `.` or stand
/// inside its brackets; a `test` has its indented lines as rows. `#` begins a comment.
public struct FlowFile: Sendable {
  /// The name it was read by.
  public let name: String
  /// All lines, without their ends.
  public let lines: [String]
  public internal(set) var statements: [Statement] = []
  /// The comments that have a line of their own.
  public internal(set) var comments: [Comment] = []
  /// What is wrong with the cutting.
  public internal(set) var findings: [Finding] = []

  /// A part of the file that means one thing.
  public struct Statement: Sendable {
    /// What sort of thing.
    public enum Kind: Sendable {
      /// A line as on the wire.
      case command
      case set(key: String, value: String)
      case include(path: String)
      case test(MarbleTest)
    }

    public let kind: Kind
    /// The text, and where it comes from.
    public let line: LogicalLine
  }

  /// A comment on a line of its own.
  public struct Comment: Hashable, Sendable {
    /// The number of its line.
    public let line: Int
    /// What follows the `#`, without blanks around it.
    public let text: String
  }

  /// The words that may begin a command in a file.
  public static let commands = ["SUBJECT", "PIPELINE", "RUN"]
  /// The words that begin what is no command.
  public static let words = ["set", "include", "test"]

  /// Cuts `text`, which was read from a file called `name`.
  public init(_ text: String, name: String) {
    self.name = name
    // Some editors begin a file with a mark of its encoding.
    let text = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
      .map(String.init)
    var reader = FlowFileReader(lines)
    while reader.readStatement(into: &self) {}
  }

  /// A finding about `length` characters of `line` from `offset` on.
  public func finding(
    _ severity: Finding.Severity,
    code: String? = nil,
    _ message: String,
    in line: LogicalLine,
    at offset: Int,
    length: Int
  ) -> Finding {
    let (number, column) = line.place(of: offset)
    let length = line.lengthOnLine(from: offset, length)
    return finding(severity, code: code, message, line: number, column: column, length: length)
  }

  /// A finding about a part of one line.
  public func finding(
    _ severity: Finding.Severity,
    code: String? = nil,
    _ message: String,
    line: Int,
    column: Int,
    length: Int
  ) -> Finding {
    Finding(
      severity,
      code: code,
      message,
      at: FilePlace(file: name, line: line, column: column, length: length),
      in: lines.indices.contains(line - 1) ? lines[line - 1] : ""
    )
  }
}
