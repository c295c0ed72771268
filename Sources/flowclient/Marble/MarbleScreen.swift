import Glibc
import Synchronization

/// The whole of a terminal, which is given back as it was.
///
/// It is drawn over, never cleared first, so that nothing flickers; lines are not wrapped.
final class MarbleScreen: Sendable {
  private let surroundings: any Surroundings
  private let isOpen = Mutex(true)

  init(_ surroundings: any Surroundings) {
    self.surroundings = surroundings
    // Another screen, no cursor, no wrapping.
    surroundings.writeOutput("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[2J")
  }

  /// Shows these lines and nothing else.
  func show(_ lines: [String], columns: Int) {
    // Behind a line as wide as the terminal, the rest of the line is its last character.
    let text = lines.map { DisplayText.width($0) < columns ? "\($0)\u{1b}[K" : $0 }
      .joined(separator: "\r\n")
    isOpen.withLock { isOpen in
      if isOpen { surroundings.writeOutput("\u{1b}[H\(text)\u{1b}[J") }
    }
  }

  func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      surroundings.writeOutput("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    }
  }

  /// Columns and rows of the terminal, as it is now.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), max(2, Int(size.ws_row)))
  }
}
