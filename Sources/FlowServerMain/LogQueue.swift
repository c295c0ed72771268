import Dispatch

/// Lines on their way to a log, up to a bound; beyond it they are counted and left out.
struct LogQueue {
  /// The most lines that wait, and the most bytes.
  static let lineLimit = 2048
  static let byteLimit = 256 << 10
  /// The longest line; of a longer one the beginning is written.
  static let longestLine = 16 << 10

  private var bytes: [UInt8] = []
  private var lines = 0
  /// How many were left out behind those that wait.
  private var leftOut = 0
  private var isWriting = false
  private var linesWriting = 0
  /// The line that stands for so many others.
  private let lineForMissing: @Sendable (Int) -> String
  /// Those who wait until all is written.
  private var waiting: [DispatchSemaphore] = []

  init(
    lineForMissing: @escaping @Sendable (Int) -> String = { Self.missing($0) }
  ) { self.lineForMissing = lineForMissing }

  /// What is said of so many lines.
  static func missing(_ count: Int) -> String {
    "… \(count == 1 ? "1 line" : "\(count) lines") left out"
  }

  /// Adds a line, if there is room; returns whether a writer has to begin.
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

  /// Has `done` signalled when all is written; returns whether anything is still to be.
  mutating func tellWhenWritten(_ done: DispatchSemaphore) -> Bool {
    if isWriting { waiting.append(done) }
    return isWriting
  }

  /// Takes all that waits, for the writer; nil says that it has nothing left to do.
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

  /// What was taken last could not be written.
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
