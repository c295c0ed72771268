import FlowTransport
import Glibc
import Synchronization

/// The whole terminal: its other screen, its keys one by one, and the way back.
final class Terminal: Sendable {
  private let surroundings: any Surroundings
  /// How it reads lines; nil if standard input is no terminal.
  private let usual: termios?
  private let isEntered = Mutex(false)

  init(_ surroundings: any Surroundings) {
    self.surroundings = surroundings
    usual = surroundings.terminalSettings
  }

  /// Takes the terminal: no line editing, no echo, no signals of keys, the other screen.
  func enter() {
    let isNew = isEntered.withLock { entered in
      defer { entered = true }
      return !entered
    }
    guard isNew else { return }
    if var settings = usual {
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
      settings.c_iflag &= ~tcflag_t(IXON)
      unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }
    surroundings.writeOutput("\u{1b}[?1049h\u{1b}[?25l\u{1b}[2J")
  }

  /// Gives the terminal back as it was; from any thread, as often as one likes.
  func leave() {
    let wasEntered = isEntered.withLock { entered in
      defer { entered = false }
      return entered
    }
    guard wasEntered else { return }
    surroundings.writeOutput("\u{1b}[0m\u{1b}[?25h\u{1b}[?1049l")
    if var usual { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
  }

  /// Stops the program, and takes the terminal again when it goes on.
  func suspend() {
    leave()
    Glibc.kill(0, SIGTSTP)
    // Another thread may take the signal, a moment later.
    usleep(50_000)
    enter()
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

/// How many columns and rows a terminal has.
struct TerminalSize: Equatable {
  var columns: Int
  var rows: Int
}

extension Surroundings {
  /// How the terminal that standard input is reads lines; nil if it is none.
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
