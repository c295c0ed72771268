import Synchronization

/// A picture that fills a terminal.
///
/// It is drawn over, never cleared first, so that nothing flickers.
final class MarbleScreen: Sendable {
  enum Wish {
    case quit, suspend
  }

  private let surroundings: any Surroundings
  private let terminal: Terminal
  private let isOpen = Mutex(true)

  init(_ surroundings: any Surroundings) {
    self.surroundings = surroundings
    terminal = Terminal(surroundings)
    terminal.enter()
  }

  /// Calls `act` for each key that has a meaning.
  func readKeys(_ act: @escaping @Sendable (Wish) -> Void) {
    terminal.readKeys { keys in
      for key in keys ?? [] {
        switch key {
        // With control-C and control-D, which are keys here.
        case UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4: act(.quit)
        case 26: act(.suspend)
        default: break
        }
      }
    }
  }

  /// Shows what `picture` makes for the size that the terminal has now, and nothing else.
  func show(_ picture: (TerminalSize) -> [String]) {
    let size = surroundings.terminalSize
    // Behind a line as wide as the terminal, the rest of the line is its last character.
    let text = picture(size)
      .map { DisplayText.width($0) < size.columns ? "\($0)\u{1b}[K" : $0 }
      .joined(separator: "\r\n")
    isOpen.withLock { isOpen in
      if isOpen { surroundings.writeOutput("\u{1b}[H\(text)\u{1b}[J") }
    }
  }

  /// Stops the program until it is continued.
  func suspend() {
    isOpen.withLock { isOpen in
      if isOpen { terminal.suspend() }
    }
  }

  /// Restores the terminal.
  func close() {
    isOpen.withLock { isOpen in
      isOpen = false
      terminal.leave()
    }
  }
}
