/// The first line of a server: `HI flow/VERSION proto=1 maxline=65536 maxvalue=1048576 auth=none`.
public struct Greeting: Hashable, Sendable {
  /// The program and its version, `flow/0.1.0`.
  public var product: String
  /// The most bytes of a command line.
  public var longestLine: Int
  /// The most bytes of a value.
  public var largestValue: Int
  /// Whether `AUTH` has to come first.
  public var needsToken: Bool

  /// Makes a greeting.
  public init(product: String, longestLine: Int, largestValue: Int, needsToken: Bool) {
    self.product = product
    self.longestLine = longestLine
    self.largestValue = largestValue
    self.needsToken = needsToken
  }
}

extension Greeting {
  /// Reads what stands behind the `HI`; what is not said is as usual.
  init(_ fields: inout ServerFields) throws(WireError) {
    product = try fields.word("the product")
    let usual = FrameLimits()
    longestLine = (try? fields.count(of: "maxline")) ?? usual.line
    largestValue = (try? fields.count(of: "maxvalue")) ?? usual.value
    needsToken = fields.option("auth") == "token"
  }

  /// The line without its line end.
  var line: LineText {
    """
    HI \(product) proto=1 maxline=\(longestLine) maxvalue=\(largestValue) \
    auth=\(needsToken ? "token" : "none")
    """
  }
}
