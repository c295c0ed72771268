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
