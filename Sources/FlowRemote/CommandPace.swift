/// Avoids a hundred errors in a row, after which the server closes the connection.
///
/// A PING after every 50 commands interrupts each series of errors. After 50 refusals in a row,
/// commands are held for 0.1 s, to slow down a program that repeats a refused command.
struct CommandPace {
  typealias Held = (line: [UInt8], answer: PendingCommands.Answer)

  /// The length of a pause, in nanoseconds.
  static let pause: UInt64 = 100_000_000
  private static let row = 50

  private var sent = 0
  private var refused = 0
  /// The commands held during a pause; nil without a pause.
  private var held: [Held]?

  /// Counts a sent command; returns whether a PING must follow it.
  mutating func send() -> Bool {
    sent += 1
    return sent % Self.row == 0
  }

  mutating func accept() { refused = 0 }

  /// Counts a refusal; returns whether it begins a pause.
  mutating func refuse() -> Bool {
    refused += 1
    guard refused % Self.row == 0, held == nil else { return false }
    held = []
    return true
  }

  /// Keeps the command during a pause; returns whether there is one.
  mutating func hold(_ command: Held) -> Bool {
    held?.append(command)
    return held != nil
  }

  /// Ends the pause; returns the held commands in order.
  mutating func resume() -> [Held] {
    defer { held = nil }
    return held ?? []
  }
}
