/// Keeps refusals from ending a connection, which the server does after a hundred errors in a row.
///
/// A PING after every 50 commands ends each row of errors. After 50 refusals in a row the commands are held for
/// 0.1 s, so that a program which tries again and again does not do so as fast as the server can refuse.
struct CommandPace {
  typealias Held = (line: [UInt8], answer: PendingCommands.Answer)

  /// In nanoseconds.
  static let pause: UInt64 = 100_000_000
  private static let row = 50

  private var sent = 0
  private var refused = 0
  /// The commands that wait for the end of the pause; nil if there is none.
  private var held: [Held]?

  /// Counts a command that is sent; returns whether a PING has to follow it.
  mutating func send() -> Bool {
    sent += 1
    return sent % Self.row == 0
  }

  mutating func accept() { refused = 0 }

  /// Counts a refusal; returns whether a pause begins.
  mutating func refuse() -> Bool {
    refused += 1
    guard refused % Self.row == 0, held == nil else { return false }
    held = []
    return true
  }

  /// Keeps a command during a pause; returns whether there is one.
  mutating func hold(_ command: Held) -> Bool {
    held?.append(command)
    return held != nil
  }

  /// Ends the pause; returns the commands that have waited for that, in order.
  mutating func resume() -> [Held] {
    defer { held = nil }
    return held ?? []
  }
}
