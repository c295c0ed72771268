import FlowWire

/// The server's answer to a command.
public struct RemoteAnswer: Sendable, Equatable {
  /// The rows before the answer, without their `* `.
  public var rows: [String]
  /// The answer's fields, without the `OK `.
  public var text: String
  /// The answer as a value; `nil` for a `PONG`.
  let answer: Answer?

  /// The value of the field `name=value`, if it is there.
  public func field(_ name: String) -> String? {
    let start = "\(name)="
    let field = text.split(separator: " ").first { $0.hasPrefix(start) }
    return field.map { String($0.dropFirst(start.count)) }
  }
}
