/// A `key=value` field of a server's line.
public struct Option: Hashable, Sendable {
  /// What stands before the `=`.
  public var key: String
  /// What stands behind it.
  public var value: String

  /// Makes a field.
  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

/// The first line of a server: `HI flow/VERSION proto=1 maxline=65536 maxvalue=1048576 auth=none`.
public struct Greeting: Hashable, Sendable {
  /// The program and its version, `flow/0.1.0`.
  public var product: String
  /// What it says about itself, in its order.
  public var options: [Option]

  /// Makes a greeting.
  public init(product: String, options: [Option]) {
    self.product = product
    self.options = options
  }

  /// An option's value.
  public subscript(key: String) -> String? { options.first { $0.key == key }?.value }
}

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
