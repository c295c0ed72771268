import FlowTransport
import Glibc

/// Writes lines to the terminal at once.
enum Console {
  static func output(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func error(_ line: String) { write("\(line)\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: Int32) {
    _ = SystemPlatform.write(Array(text.utf8)[...], to: descriptor)
  }
}
