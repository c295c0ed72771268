import Dispatch
import FlowTransport
import Glibc
import Synchronization

/// The terminal: its keys one by one, the whole of its other screen or the foot of what it shows, and
/// the way back.
final class Terminal: Sendable {
  /// The part that is taken.
  enum Part: Sendable {
    /// The other screen, without a cursor.
    case screen
    /// The rows below the printed output; pastes differ from keys.
    case foot

    fileprivate var enters: String {
      switch self {
      case .screen: "\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J"
      case .foot: "\u{1b}[?2004h"
      }
    }

    fileprivate var leaves: String {
      switch self {
      case .screen: "\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l"
      case .foot: "\u{1b}[0m\u{1b}[?2004l"
      }
    }
  }

  private let surroundings: any Surroundings
  private let part: Part
  /// The settings before; nil if standard input is no terminal.
  private let usual: termios?
  private let isEntered = Mutex(false)

  init(_ surroundings: any Surroundings, _ part: Part = .screen) {
    self.surroundings = surroundings
    self.part = part
    usual = surroundings.terminalSettings
  }

  /// Takes the terminal: without line editing, echo, and signals of keys.
  func enter() {
    let isNew = isEntered.withLock { entered in
      defer { entered = true }
      return !entered
    }
    if isNew { take() }
  }

  /// Takes the terminal again after another program had it.
  func renew() {
    if isEntered.withLock({ $0 }) { take() }
  }

  private func take() {
    if var settings = usual {
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      settings.c_iflag &= ~tcflag_t(IXON)
      unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    surroundings.writeOutput(part.enters)
  }

  /// Restores the terminal; from any thread, any number of times.
  func leave() {
    let wasEntered = isEntered.withLock { entered in
      defer { entered = false }
      return entered
    }
    guard wasEntered else { return }
    surroundings.writeOutput(part.leaves)
    if var usual { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
  }

  /// Stops the program, and takes the terminal again when it continues.
  func suspend() {
    leave()
    Glibc.kill(0, SIGTSTP)
    // Another thread may take the signal, a moment later.
    usleep(50_000)
    enter()
  }

  /// Reads what is typed as below, but no more until `act` has called what it is given.
  func readKeysInTurn(
    _ act: @escaping @Sendable ([UInt8]?, _ taken: @escaping @Sendable () -> Void) -> Void
  ) {
    let taken = DispatchSemaphore(value: 0)
    readKeys { [surroundings] bytes in
      act(bytes) { taken.signal() }
      _ = surroundings.platform.wait(for: taken, until: nil)
    }
  }

  /// Reads what is typed, until its end, and gives it to `act`; nothing if it is no terminal.
  func readKeys(_ act: @escaping @Sendable ([UInt8]?) -> Void) {
    guard usual != nil else { return }
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

struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int
}

extension Surroundings {
  /// The settings of the terminal at standard input; nil if there is none.
  var terminalSettings: termios? {
    guard inputIsTerminal else { return nil }
    var settings = termios()
    unsafe tcgetattr(STDIN_FILENO, &settings)
    return settings
  }

  /// The size of the terminal that standard output is; if it does not tell, 80 columns and 24 rows.
  var terminalSize: TerminalSize {
    let usual = TerminalSize(columns: 80, rows: 24)
    guard outputIsTerminal else { return usual }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
      size.ws_row > 0
    else { return usual }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// Within how many columns text for people has to stay; no limit where it is no terminal.
  var textWidth: Int? { outputIsTerminal ? max(40, terminalSize.columns) : nil }
}
