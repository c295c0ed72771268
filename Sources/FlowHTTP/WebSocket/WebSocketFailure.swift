/// Why a WebSocket cannot go on, and the code to close it with.
struct WebSocketFailure: Error {
  let code: UInt16
  let reason: String

  init(_ code: UInt16, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// A frame that breaks the rules of the protocol.
  init(_ reason: String) { self.init(WebSocketClose.protocolError, reason) }
}
