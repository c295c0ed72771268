package import FlowLanguage
package import FlowWire

extension PipelineFailure {
  /// Makes a failure of the server, with a code of the protocol.
  package init(_ code: ErrorCode, _ message: String) {
    self.init(code: code.rawValue, message: message)
  }
}
