/// Why a WebSocket must be closed, and the close code.
struct WebSocketFailure: Error {
  let code: UInt16
  let reason: String

  init(_ code: UInt16, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  init(_ reason: String) { self.init(WebSocketClose.protocolError, reason) }
}
