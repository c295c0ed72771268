internal import FlowHTTP
internal import FlowTransport
internal import FlowWire

/// The messages that a session travels in over a WebSocket: a text is a line, a binary is what follows
/// the head of a counted frame.
///
/// The session is a `Client` like any other: it has the same frames, limits, rights and gates.
final class WebSocketCodec: Codec {
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var decoder = WebSocketDecoder(longestMessage: longestUngranted)
  private var splitter = MessageSplitter()
  /// A part of a frame's header.
  private var unread: [UInt8] = []
  /// The payload of the last ping, whose answer waits until the browser reads.
  private var pong: [UInt8]?
  private var expected = Message.line
  /// What the close frame says if the browser has closed the session, or has sent what is refused.
  private var last: (code: UInt16, reason: String)?

  /// What the next message has to be.
  private enum Message {
    case line
    /// The bytes of a counted frame, so many.
    case bytes(Int)
    /// A line of a FEED, in which no line is a head.
    case lineOfFeed
  }

  init(engine: Engine) { self.engine = engine }

  /// How long a message may be before AUTH, if the server asks for it.
  private static let longestUngranted = 4096 + room
  /// How many bytes may stand in front of a value.
  private static let room = 64
  /// Once so many bytes wait to be sent, no more output is put into frames.
  private static let mostAtOnce = 65_536

  /// The session takes frames of full length from now on.
  func readAsGranted() {
    let configuration = engine.configuration
    decoder.longestMessage = max(configuration.lineLimit, configuration.valueLimit + Self.room)
  }

  /// Output is lines of a TAIL, from this byte on.
  func beginRaw(at position: Int) { splitter.beginRaw(at: position) }

  override var held: Int { super.held + decoder.held }

  // MARK: From the browser

  override func take(_ bytes: UnsafeRawBufferPointer, for connection: Connection) {
    guard !unread.isEmpty else { return unsafe takeMessages(bytes, connection) }
    let all = unsafe unread + bytes
    unread = []
    unsafe all.withUnsafeBytes { unsafe takeMessages($0, connection) }
  }

  private func takeMessages(_ bytes: UnsafeRawBufferPointer, _ connection: Connection) {
    var offset = 0
    while !hasEnded {
      switch unsafe decoder.next(bytes, &offset) {
      case .incomplete:
        unread = unsafe Array(bytes[offset...])
        return
      case .message(let isText, let message):
        if let refusal = refusal(isText, message) {
          close(WebSocketClose.policyViolation, refusal)
        } else {
          expected = isText ? successor(of: message) : .line
          connection.give(message)
          connection.give([0x0A])
        }
      case .ping(let payload):
        pong = payload
        if !connection.isBlocked { sendPong() }
      case .pong: break
      case .close(let code, _): close(code ?? WebSocketClose.normal, "")
      case .failed(let code, let reason): close(code, reason)
      }
    }
  }

  /// Why a message is refused that could otherwise be taken for something else.
  private func refusal(_ isText: Bool, _ message: [UInt8]) -> String? {
    switch (expected, isText) {
    case (.bytes(let count), true): "expected a binary message of \(count) bytes, found a text"
    case (.bytes(let count), false):
      message.count == count
        ? nil : "the binary message has \(message.count) bytes, expected \(count)"
    case (_, false): "a binary message follows a text message : ID LENGTH"
    case (_, true):
      message.contains { $0 == 0x0A || $0 == 0x0D } ? "a text message is one line" : nil
    }
  }

  /// What has to come behind a line.
  private func successor(of line: [UInt8]) -> Message {
    if case .lineOfFeed = expected {
      return line == [UInt8(ascii: ".")] ? .line : .lineOfFeed
    }
    let length = unsafe line.withUnsafeBytes { unsafe FrameDecoder.announcedLength($0) }
    if let length { return .bytes(length) }
    // The lines behind a FEED that is refused are no commands either.
    let start = String(decoding: line.prefix(64), as: UTF8.self)
    return Session.verb(start) == .feed ? .lineOfFeed : .line
  }

  // MARK: From the session

  override func frame(_ output: UnsafeRawBufferPointer) -> Int {
    sendPong()
    var offset = 0
    while frames.count < Self.mostAtOnce, let message = unsafe splitter.next(output, offset) {
      if let head = message.head { WebSocketWriter.text(head.utf8, into: &frames) }
      let opcode = message.isText ? WebSocketOpcode.text : .binary
      WebSocketWriter.header(opcode, length: message.bytes.count, into: &frames)
      unsafe frames.append(contentsOf: UnsafeRawBufferPointer(rebasing: output[message.bytes]))
      offset = message.end
    }
    return offset
  }

  private func sendPong() {
    if let payload = pong.take() { WebSocketWriter.pong(payload, into: &frames) }
  }

  override func finish() {
    let code = engine.clients.isGoing ? WebSocketClose.goingAway : WebSocketClose.normal
    let last = last ?? (code, "the session has ended")
    WebSocketWriter.close(last.code, last.reason, into: &frames)
  }

  /// Takes no more messages; the close frame follows the answers to those before.
  private func close(_ code: UInt16, _ reason: String) {
    last = (code, reason)
    end()
  }
}
