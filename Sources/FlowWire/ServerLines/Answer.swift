/// The answer to a command: `OK VERB FIELDS…`, with `key=value` after the positional fields.
public struct Answer: Hashable, Sendable {
  /// The command's verb, in lower case.
  public var verb: String
  /// The positional fields.
  public var fields: [String]
  /// The others, in their order.
  public var options: [Option]

  /// Makes an answer.
  public init(_ verb: String, fields: [String] = [], options: [Option] = []) {
    self.verb = verb
    self.fields = fields
    self.options = options
  }

  /// An option's value.
  public subscript(key: String) -> String? { options.first { $0.key == key }?.value }
}
