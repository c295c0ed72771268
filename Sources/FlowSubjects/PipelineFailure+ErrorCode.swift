package import FlowLanguage
package import FlowWire

extension PipelineFailure {
  /// A failure that is the server's, by one of the protocol's codes.
  package init(_ code: ErrorCode, _ message: String) {
    self.init(code: code.rawValue, message: message)
  }
}
