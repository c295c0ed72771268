import FlowTransport
import Glibc

/// Standard input as a source of keys: a terminal gives each at once, a pipe what is in it.
final class Keyboard: Sendable {
  private let surroundings: any Surroundings
  private let usual: termios?

  /// Opens the keyboard; a terminal gives single keys from now on, and shows none.
  init(_ surroundings: any Surroundings) {
    self.surroundings = surroundings
    usual = surroundings.terminalSettings
    guard var settings = usual else { return }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  /// Restores the terminal's settings.
  func close() {
    if var usual { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
  }

  /// Reads keys until they end, and gives what they mean to `act`.
  func start(_ act: @escaping @Sendable (Keys.Wish) -> Void) {
    let ignoresUnknown = usual != nil
    surroundings.platform.run(after: 0) { [surroundings] in
      var keys = Keys()
      var buffer: [UInt8] = Array(repeating: 0, count: 256)
      while let count = try? unsafe buffer.withUnsafeMutableBytes(surroundings.readInput), count > 0
      {
        for key in buffer[..<count] {
          guard let wish = keys.press(key) else { continue }
          if case .unknown = wish, ignoresUnknown { continue }
          act(wish)
        }
      }
      keys.end().forEach(act)
    }
  }
}
