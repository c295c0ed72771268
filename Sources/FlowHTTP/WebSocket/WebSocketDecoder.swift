/// Splits a client's bytes into WebSocket messages.
///
/// Pass the unread bytes; the next call must repeat those not consumed, followed by new ones.
/// Payloads are consumed as they arrive, so at most 13 bytes of a frame's header stay unread. It
/// reads the bytes during the call only: memory 8.
package struct WebSocketDecoder: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// More bytes are needed; some may have been consumed.
    case incomplete
    /// A whole message; if it is a text, it is valid UTF-8.
    case message(isText: Bool, [UInt8])
    /// Answer with a pong of the same payload.
    case ping([UInt8])
    case pong
    /// Answer with a close frame, then close; further input is dropped.
    case close(code: UInt16?, reason: String)
    /// Send a close frame with this code and reason, then close.
    case failed(code: UInt16, reason: String)
  }

  private enum Phase: Sendable {
    case open, closed
    case failed(WebSocketFailure)
  }

  /// The longest message, in bytes, all fragments together; it applies to later messages.
  package var longestMessage: Int
  private var phase = Phase.open
  private var frame: WebSocketFrame?
  /// The payload of the current control frame.
  private var control: [UInt8] = []
  private var message: [UInt8] = []
  /// Whether the current message is a text; nil between messages.
  private var isText: Bool?
  /// The number of bytes of the current text known to be UTF-8.
  private var checked = 0

  /// The memory of the current message, in bytes.
  package var held: Int { message.capacity }

  package init(longestMessage: Int) { self.longestMessage = longestMessage }

  /// Reads the next message from `bytes[offset...]` and moves `offset` past the consumed bytes.
  ///
  /// It allocates memory as data arrives, whatever length a frame claims. After a failure every
  /// call returns the same failure.
  package mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Outcome {
    switch phase {
    case .open: break
    case .closed:
      offset = bytes.count
      return .incomplete
    case .failed(let failure): return .failed(code: failure.code, reason: failure.reason)
    }
    do throws(WebSocketFailure) {
      return try unsafe take(bytes, &offset)
    } catch {
      phase = .failed(error)
      (message, control) = ([], [])
      return .failed(code: error.code, reason: error.reason)
    }
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(WebSocketFailure) -> Outcome {
    while true {
      if frame == nil { try unsafe begin(bytes, &offset) }
      guard let opcode = frame?.opcode else { return .incomplete }
      if opcode.isControl {
        unsafe frame?.take(bytes, &offset, into: &control)
      } else {
        try unsafe takeData(bytes, &offset)
      }
      guard let frame, frame.isComplete else { return .incomplete }
      self.frame = nil
      if opcode.isControl { return try endControl(opcode) }
      if frame.isFinal { return try endMessage() }
    }
  }

  private mutating func begin(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(WebSocketFailure) {
    frame = try unsafe WebSocketFrame(
      bytes,
      &offset,
      room: max(longestMessage - message.count, 0),
      isMessageOpen: isText != nil
    )
    switch frame?.opcode {
    case .text: isText = true
    case .binary: isText = false
    default: break
    }
  }

  private mutating func takeData(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(WebSocketFailure) {
    unsafe frame?.take(bytes, &offset, into: &message)
    guard isText == true else { return }
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: message.span.extracting(checked...))
      checked = message.count
    } catch {
      // The last character may continue in the next part.
      guard error.kind == .truncatedScalar, checked + error.byteOffsets.upperBound == message.count
      else { throw Self.malformedText }
      checked += error.byteOffsets.lowerBound
    }
  }

  private mutating func endMessage() throws(WebSocketFailure) -> Outcome {
    let isText = isText == true
    guard !isText || checked == message.count else { throw Self.malformedText }
    let bytes = message
    (message, checked) = ([], 0)
    self.isText = nil
    return .message(isText: isText, bytes)
  }

  private mutating func endControl(_ opcode: WebSocketOpcode) throws(WebSocketFailure) -> Outcome {
    let payload = control
    control = []
    switch opcode {
    case .ping: return .ping(payload)
    case .close: return try close(payload)
    default: return .pong
    }
  }

  private mutating func close(_ payload: [UInt8]) throws(WebSocketFailure) -> Outcome {
    var code: UInt16?
    if !payload.isEmpty {
      guard payload.count >= 2 else { throw WebSocketFailure("half a code in a close frame") }
      let sent = UInt16(payload[0]) << 8 | UInt16(payload[1])
      guard WebSocketClose.canBeSent(sent) else {
        throw WebSocketFailure("the code \(sent) cannot be in a close frame")
      }
      code = sent
    }
    guard let reason = String(validating: payload.dropFirst(2), as: UTF8.self) else {
      throw Self.malformedText
    }
    phase = .closed
    message = []
    return .close(code: code, reason: reason)
  }

  private static var malformedText: WebSocketFailure {
    WebSocketFailure(WebSocketClose.malformedText, "a text is not UTF-8")
  }
}
