import Dispatch

/// Log lines that wait to be written; beyond the limit they are counted and dropped.
struct LogQueue {
  /// The most lines that wait.
  static let lineLimit = 2048
  static let byteLimit = 256 << 10
  /// The longest line; longer ones are cut.
  static let longestLine = 16 << 10

  private var bytes: [UInt8] = []
  private var lines = 0
  /// How many lines were dropped since the last waiting one.
  private var leftOut = 0
  private var isWriting = false
  private var linesWriting = 0
  /// Makes the line that replaces dropped lines.
  private let lineForMissing: @Sendable (Int) -> String
  /// Signalled when all is written.
  private var waiting: [DispatchSemaphore] = []

  init(
    lineForMissing: @escaping @Sendable (Int) -> String = { Self.missing($0) }
  ) { self.lineForMissing = lineForMissing }

  static func missing(_ count: Int) -> String {
    "… \(count == 1 ? "1 line" : "\(count) lines") left out"
  }

  /// Adds a line if there is room; returns whether a writer must be started.
  mutating func add(_ line: String) -> Bool {
    let text = line.utf8.prefix(Self.longestLine)
    guard lines < Self.lineLimit, bytes.count + text.count < Self.byteLimit else {
      leftOut += 1
      return false
    }
    noteLeftOut()
    append(text)
    if text.endIndex < line.utf8.endIndex {
      bytes.removeLast()
      bytes += "…\n".utf8
    }
    defer { isWriting = true }
    return !isWriting
  }

  /// Signals `done` when all is written; returns whether something is still unwritten.
  mutating func tellWhenWritten(_ done: DispatchSemaphore) -> Bool {
    if isWriting { waiting.append(done) }
    return isWriting
  }

  /// Takes all waiting lines; nil ends the writer.
  mutating func take() -> [UInt8]? {
    guard !bytes.isEmpty else {
      isWriting = false
      for done in waiting { done.signal() }
      waiting = []
      return nil
    }
    noteLeftOut()
    defer {
      bytes.removeAll()
      linesWriting = lines
      lines = 0
    }
    return bytes
  }

  /// Counts the lines that were taken last as dropped.
  mutating func writingFailed() {
    leftOut += linesWriting
    linesWriting = 0
  }

  private mutating func noteLeftOut() {
    guard leftOut > 0 else { return }
    append(lineForMissing(leftOut).utf8[...])
    leftOut = 0
  }

  private mutating func append(_ text: Substring.UTF8View) {
    bytes += text
    bytes.append(UInt8(ascii: "\n"))
    lines += 1
  }
}
