import Synchronization

/// Shows pictures on the whole terminal, overwriting the previous one to avoid flicker.
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

  /// Calls `act` for each key with a meaning.
  func readKeys(_ act: @escaping @Sendable (Wish) -> Void) {
    terminal.readKeys { keys in
      for key in keys ?? [] {
        switch key {
        // 3 and 4 are control-C and control-D, which are plain keys here.
        case UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4: act(.quit)
        case 26: act(.suspend)
        default: break
        }
      }
    }
  }

  /// Shows the picture for the terminal's current size.
  func show(_ picture: (TerminalSize) -> [String]) {
    let size = surroundings.terminalSize
    // After a line as wide as the terminal, clearing would erase its last character.
    let text = picture(size)
      .map { DisplayText.width($0) < size.columns ? "\($0)\u{1b}[K" : $0 }
      .joined(separator: "\r\n")
    isOpen.withLock { isOpen in
      if isOpen { surroundings.writeOutput("\u{1b}[H\(text)\u{1b}[J") }
    }
  }

  func suspend() {
    isOpen.withLock { isOpen in
      if isOpen { terminal.suspend() }
    }
  }

  func close() {
    isOpen.withLock { isOpen in
      isOpen = false
      terminal.leave()
    }
  }
}
