import FlowTransport
import Glibc

/// Reads single keys from a terminal, or bytes from a pipe.
final class Keyboard: Sendable {
  private let surroundings: any Surroundings
  private let usual: termios?

  /// Turns off the terminal's line editing and echo.
  init(_ surroundings: any Surroundings) {
    self.surroundings = surroundings
    usual = surroundings.terminalSettings
    guard var settings = usual else { return }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
  }

  func close() {
    if var usual { unsafe tcsetattr(STDIN_FILENO, TCSANOW, &usual) }
  }

  /// Reads keys until the end, and calls `act` with their meaning.
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
