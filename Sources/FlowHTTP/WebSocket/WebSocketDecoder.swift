/// Cuts what a client sends on a WebSocket into messages, as bytes come in.
///
/// Feed it what is unread; what it has not taken must be there again, with what came since, at the
/// next call. It takes payloads as they come, so all that ever stays unread is a part of a frame's
/// header, at most 13 bytes. Bytes are read during the call only: memory 8.
package struct WebSocketDecoder: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// More bytes are needed. Some may have been taken.
    case incomplete
    /// A whole message; a text is UTF-8.
    case message(isText: Bool, [UInt8])
    /// Answer with a pong that contains the same.
    case ping([UInt8])
    case pong
    /// The client closes; answer with a close frame, then close. All that follows is dropped.
    case close(code: UInt16?, reason: String)
    /// Send a close frame with this code and reason, then close.
    case failed(code: UInt16, reason: String)
  }

  private enum Phase: Sendable {
    case open, closed
    case failed(WebSocketFailure)
  }

  /// The most bytes of a message, with all its fragments; for messages that begin from now on.
  package var longestMessage: Int
  private var phase = Phase.open
  private var frame: WebSocketFrame?
  /// The payload of the control frame under way.
  private var control: [UInt8] = []
  private var message: [UInt8] = []
  /// Whether the message under way is a text; nil between messages.
  private var isText: Bool?
  private var text = UTF8Check()

  /// The memory of the present message, in bytes.
  package var held: Int { message.capacity }

  /// - Parameter longestMessage: how many bytes a message may have, all its fragments together.
  package init(longestMessage: Int) { self.longestMessage = longestMessage }

  /// Takes the next message from `bytes[offset...]` and moves `offset` past what was taken.
  ///
  /// Memory is taken as data comes, whatever length a frame claims. After a failure all that
  /// follows fails in the same way.
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
    let start = message.count
    unsafe frame?.take(bytes, &offset, into: &message)
    guard isText == true else { return }
    let isGood = unsafe message.withUnsafeBytes { all in
      unsafe text.take(UnsafeRawBufferPointer(rebasing: all[start...]))
    }
    guard isGood else { throw Self.malformedText }
  }

  private mutating func endMessage() throws(WebSocketFailure) -> Outcome {
    let isText = isText == true
    guard text.isComplete else { throw Self.malformedText }
    let bytes = message
    message = []
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
