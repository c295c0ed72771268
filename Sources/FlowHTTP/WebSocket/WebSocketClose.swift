/// Why a WebSocket is closed: RFC 6455, section 7.4.
package enum WebSocketClose {
  package static let normal: UInt16 = 1000
  package static let goingAway: UInt16 = 1001
  package static let protocolError: UInt16 = 1002
  package static let malformedText: UInt16 = 1007
  package static let policyViolation: UInt16 = 1008
  package static let tooLong: UInt16 = 1009

  /// Whether a close frame may contain this code; 1005, 1006 and 1015 are never sent.
  package static func canBeSent(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
