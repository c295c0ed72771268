/// The kind of a frame.
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  package var isControl: Bool { rawValue >= 8 }
}
