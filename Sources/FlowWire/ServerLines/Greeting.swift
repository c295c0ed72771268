/// The server's first line: `HI flow/VERSION proto=1 maxline=65536 maxvalue=1048576 auth=none`.
public struct Greeting: Hashable, Sendable {
  /// The program and its version, `flow/0.1.0`.
  public var product: String
  /// The longest command line, in bytes.
  public var longestLine: Int
  /// The largest value, in bytes.
  public var largestValue: Int
  /// Whether `AUTH` must come first.
  public var needsToken: Bool

  public init(product: String, longestLine: Int, largestValue: Int, needsToken: Bool) {
    self.product = product
    self.longestLine = longestLine
    self.largestValue = largestValue
    self.needsToken = needsToken
  }
}

extension Greeting {
  /// Parses the fields after `HI`; missing ones have their defaults.
  init(_ fields: inout FieldReader) throws(WireError) {
    product = try fields.word("the product")
    let usual = FrameLimits()
    longestLine = (try? fields.count(of: "maxline")) ?? usual.line
    largestValue = (try? fields.count(of: "maxvalue")) ?? usual.value
    needsToken = fields.option("auth") == "token"
  }

  var line: LineText {
    """
    HI \(product) proto=1 maxline=\(longestLine) maxvalue=\(largestValue) \
    auth=\(needsToken ? "token" : "none")
    """
  }
}
