import Dispatch
import FlowTransport
import Glibc
import Synchronization

/// Takes over the terminal: single keys, and perhaps the alternate screen or the foot of the normal
/// one.
final class Terminal: Sendable {
  enum Part: Sendable {
    /// Nothing but keys; those of signals keep their effect. Without a terminal, a pipe has the keys.
    case keys
    /// The alternate screen, without a cursor.
    case screen
    /// The rows below the printed output; pastes are reported as such.
    case foot

    fileprivate var enters: String {
      switch self {
      case .keys: ""
      case .screen: "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J"
      case .foot: "\u{1b}[?2004h"
      }
    }

    fileprivate var leaves: String {
      switch self {
      case .keys: ""
      case .screen: "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"
      case .foot: "\u{1b}[0m\u{1b}[?2004l"
      }
    }
  }

  private let surroundings: any Surroundings
  private let part: Part
  /// The original settings; nil if standard input is not a terminal.
  private let usual: termios?
  private let isEntered = Mutex(false)

  init(_ surroundings: any Surroundings, _ part: Part = .screen) {
    self.surroundings = surroundings
    self.part = part
    usual = surroundings.terminalSettings
  }

  /// Takes the terminal: no line editing and echo, and unless only keys are taken no signal keys.
  func enter() {
    let isNew = isEntered.withLock { entered in
      defer { entered = true }
      return !entered
    }
    if isNew { take() }
  }

  /// Takes the terminal again after another program used it.
  func renew() {
    if isEntered.withLock({ $0 }) { take() }
  }

  private func take() {
    if var settings = usual {
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      if part != .keys {
        settings.c_lflag &= ~tcflag_t(ISIG | IEXTEN)
        settings.c_iflag &= ~tcflag_t(IXON)
      }
      unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    if part != .keys { surroundings.writeOutput(part.enters) }
  }

  /// Restores the terminal; from any thread, repeatedly if need be.
  func leave() {
    let wasEntered = isEntered.withLock { entered in
      defer { entered = false }
      return entered
    }
    guard wasEntered else { return }
    if part != .keys { surroundings.writeOutput(part.leaves) }
    if var usual { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
  }

  /// Stops the program; takes the terminal again when it continues.
  func suspend() {
    leave()
    Glibc.kill(0, SIGTSTP)
    // Waits, because another thread may handle the signal a moment later.
    usleep(50_000)
    enter()
  }

  /// Reads keys, but no more until `act` has called its closure.
  func readKeysInTurn(
    _ act: @escaping @Sendable ([UInt8]?, _ taken: @escaping @Sendable () -> Void) -> Void
  ) {
    let taken = DispatchSemaphore(value: 0)
    readKeys { [surroundings] bytes in
      act(bytes) { taken.signal() }
      _ = surroundings.platform.wait(for: taken, until: nil)
    }
  }

  /// Reads keys until the end, and gives them to `act`; without a terminal only for `.keys`.
  func readKeys(_ act: @escaping @Sendable ([UInt8]?) -> Void) {
    guard usual != nil || part == .keys else { return }
    surroundings.platform.run(after: 0) { [surroundings] in
      var buffer: [UInt8] = Array(repeating: 0, count: 256)
      while let count = try? unsafe buffer.withUnsafeMutableBytes(surroundings.readInput), count > 0
      {
        act(Array(buffer[..<count]))
      }
      act(nil)
    }
  }
}

extension Terminal {
  /// Reads the keys of `--manual` until the end, and calls `act` with their meaning.
  func readWishes(_ act: @escaping @Sendable (Keys.Wish) -> Void) {
    let ignoresUnknown = surroundings.inputIsTerminal
    let keys = Mutex(Keys())
    readKeys { bytes in
      let wishes = keys.withLock { keys in
        bytes.map { bytes in bytes.compactMap { keys.press($0) } } ?? keys.end()
      }
      for wish in wishes {
        if case .unknown = wish, ignoresUnknown { continue }
        act(wish)
      }
    }
  }
}

struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int
}

extension Surroundings {
  /// The settings of the terminal on standard input; nil if there is none.
  var terminalSettings: termios? {
    guard inputIsTerminal else { return nil }
    var settings = termios()
    unsafe tcgetattr(STDIN_FILENO, &settings)
    return settings
  }

  /// The size of the terminal on standard output; 80 columns and 24 rows if unknown.
  var terminalSize: TerminalSize {
    let usual = TerminalSize(columns: 80, rows: 24)
    guard outputIsTerminal else { return usual }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return usual }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// The width of text for people; nil, which is unlimited, without a terminal.
  var textWidth: Int? { outputIsTerminal ? max(40, terminalSize.columns) : nil }
}
