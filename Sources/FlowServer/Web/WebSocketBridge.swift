internal import FlowCore
internal import FlowHTTP
internal import FlowTransport
internal import FlowWire

/// A session over a WebSocket: a text message is a line, a binary message is what follows the head of a
/// counted frame.
///
/// The session itself speaks to one end of a pair of sockets, as to any client, and this to the other: so
/// it has the same frames, limits, rights and gates. What the session says does not take the way through
/// the kernel: it is made messages of right where it would be sent. Whoever does not read holds up his
/// own session.
final class WebSocketBridge: OutputRelay {
  private let browser: Connection
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  /// The session's connection, until it ends.
  private var session: Connection?
  private var inner: Connection?
  private var decoder: WebSocketDecoder
  private var splitter = MessageSplitter()
  /// What a ping contained whose answer waits for room; of several only the last one is answered.
  private var pong: [UInt8]?
  /// The length that the head of a counted frame has said, whose bytes come next.
  private var counted: Int?
  /// Whether the text messages are lines of a FEED, none of which announces a binary message.
  private var isFeeding = false
  /// The session's end after the browser's, while it takes what came before that.
  private var leaving: Connection?
  /// Whether the browser was told of the end.
  private var isClosed = false
  /// Whether nobody is waited for any more.
  private var isHurried = false

  /// A proxy has verified that the browser has the `certificate` of that name.
  init(
    _ browser: Connection,
    certificate: String?,
    engine: Engine
  ) throws(TransportError) {
    self.browser = browser
    self.engine = engine
    decoder = WebSocketDecoder(longestMessage: Self.longestUngranted)
    super.init()
    try engine.loop.makePair(peer: browser.peer) { session, inner in
      // What waits in between was read, for the browser: that is to be little.
      inner.limitOutput(to: Self.mostBetween)
      session.relayOutput(to: self)
      self.session = session
      let client = engine.clients.accept(session, certificate: certificate)
      client?.extras.bridge = self
      if client?.session.access.isGranted == true { readAsGranted() }
      inner.handler = InnerEnd(self)
      self.inner = inner
    }
  }

  /// Takes over the connection, whose handshake is done.
  func begin() {
    browser.handler = BrowserEnd(self)
    engine.clients.add(self)
    // What came with the request is read as well.
    browser.pauseReading()
    browser.resumeReading()
  }

  /// How many bytes the pair holds.
  private static let mostBetween: Int32 = 65_536
  /// How long a message may be before AUTH, if the server asks for it.
  private static let longestUngranted = 4096 + room
  /// What may stand in front of a value.
  private static let room = 64

  /// The session takes frames of full length from now on.
  func readAsGranted() {
    let configuration = engine.configuration
    decoder.longestMessage = max(configuration.lineLimit, configuration.valueLimit + Self.room)
  }

  /// What the session says is lines of a TAIL, from this byte on.
  func beginRaw(at position: Int) { splitter.beginRaw(at: position) }

  /// The memory that it takes.
  var held: Int { browser.held + ((inner ?? leaving)?.held ?? 0) + decoder.held }

  // MARK: From the browser

  fileprivate func received(_ buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while !isClosed, let inner, !browser.isPaused {
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: return offset
      case .message(let isText, let bytes):
        if let refusal = refusal(isText, bytes) {
          close(WebSocketClose.policyViolation, refusal)
          return buffer.count
        }
        counted = isText ? announcedLength(bytes) : nil
        inner.append(bytes)
        inner.append([0x0A])
        inner.flush()
        // The session does not read now: neither is the browser read.
        if inner.isBlocked { browser.pauseReading() }
      case .ping(let payload):
        pong = payload
        if !browser.isBlocked { sendPong() }
      case .pong: break
      case .close(let code, _): close(code ?? WebSocketClose.normal, "")
      case .failed(let code, let reason): close(code, reason)
      }
    }
    return isClosed ? buffer.count : offset
  }

  /// What is wrong with a message, which could otherwise be taken for something else.
  private func refusal(_ isText: Bool, _ bytes: [UInt8]) -> String? {
    if isText {
      if let counted { return "expected a binary message of \(counted) bytes, found a text" }
      let isLine = !bytes.contains { $0 == 0x0A || $0 == 0x0D }
      return isLine ? nil : "a text message is one line"
    }
    guard let counted else { return "a binary message follows a text message : ID LENGTH" }
    return counted == bytes.count
      ? nil : "the binary message has \(bytes.count) bytes, expected \(counted)"
  }

  /// The length of the binary message that `line` announces; nil for a line of a FEED.
  private func announcedLength(_ line: [UInt8]) -> Int? {
    if isFeeding {
      isFeeding = line != [UInt8(ascii: ".")]
      return nil
    }
    let length = unsafe line.withUnsafeBytes { unsafe FrameDecoder.announcedLength($0) }
    // Even if the session refuses this FEED, the lines behind it are no commands.
    let start = String(decoding: line.prefix(64), as: UTF8.self)
    isFeeding = length == nil && Session.verb(start) == .feed
    return length
  }

  fileprivate func browserGone() {
    isClosed = true
    endInner()
    engine.clients.remove(self)
  }

  /// There is room for the browser again.
  fileprivate func browserDrained() {
    if !browser.isBlocked { sendPong() }
    session?.relayDrained()
  }

  private func sendPong() {
    guard !isClosed, let payload = pong else { return }
    pong = nil
    write { WebSocketWriter.pong(payload, into: &$0) }
  }

  // MARK: From the session

  /// Makes messages of what is whole, as long as the browser reads.
  override func take(_ buffer: UnsafeRawBufferPointer) -> Int? {
    // A session that is still to take what came before the browser's end may say what it likes.
    guard !isClosed else { return leaving == nil ? nil : buffer.count }
    var offset = 0
    while !browser.isBlocked, let message = unsafe splitter.next(buffer, offset) {
      offset = message.end
      write { bytes in
        if let head = message.head { WebSocketWriter.text(head.utf8, into: &bytes) }
        WebSocketWriter.header(
          message.isText ? .text : .binary,
          length: message.bytes.count,
          into: &bytes
        )
      }
      unsafe browser.append(UnsafeRawBufferPointer(rebasing: buffer[message.bytes]))
    }
    browser.flush()
    return offset
  }

  override var isFull: Bool { !isClosed && browser.isBlocked }

  /// The session has ended, and has said so.
  fileprivate func innerGone() {
    (session, inner, leaving) = (nil, nil, nil)
    let code = engine.clients.isGoing ? WebSocketClose.goingAway : WebSocketClose.normal
    close(code, "the session has ended")
  }

  /// The session reads again.
  fileprivate func innerDrained() { if inner?.isBlocked == false { browser.resumeReading() } }

  // MARK: The end

  private func write(_ frame: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    frame(&bytes)
    browser.append(bytes)
  }

  private func close(_ code: UInt16, _ reason: String) {
    guard !isClosed else { return }
    isClosed = true
    write { WebSocketWriter.close(code, reason, into: &$0) }
    browser.closeAfterFlush()
    engine.clients.limitClosing(browser)
    if isHurried, browser.unsent > 0 { browser.close() }
    endInner()
  }

  /// The session has what came whole, and then no more.
  private func endInner() {
    guard let inner else { return }
    self.inner = nil
    guard inner.unsent > 0 else { return inner.close() }
    leaving = inner
    inner.closeAfterFlush()
  }

  /// The server goes, and waits for nobody: neither for a browser that does not read.
  func hurry() {
    isHurried = true
    browser.flush()
    if browser.unsent > 0 { browser.close() }
  }

  /// Ends at once, with what is unsent.
  func reset() { browser.reset() }

  func closeIfVanished() {
    if browser.isUnanswered(forSeconds: 120) { browser.reset() }
  }

  /// What the browser's connection tells.
  private final class BrowserEnd: ConnectionHandler {
    private let bridge: WebSocketBridge

    init(_ bridge: WebSocketBridge) { self.bridge = bridge }

    func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
      unsafe bridge.received(buffer)
    }

    func connectionInputEnded(_ connection: Connection) { connection.close() }

    func connectionDrained(_ connection: Connection) { bridge.browserDrained() }

    func connectionPeerVanished(_ connection: Connection) { connection.close() }

    func connectionClosed(_ connection: Connection, _ error: TransportError?) {
      bridge.browserGone()
    }
  }

  /// What the session's end of the pair tells.
  private final class InnerEnd: ConnectionHandler {
    private let bridge: WebSocketBridge

    init(_ bridge: WebSocketBridge) { self.bridge = bridge }

    /// Nothing comes this way.
    func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
      buffer.count
    }

    func connectionInputEnded(_ connection: Connection) {
      bridge.innerGone()
      connection.close()
    }

    func connectionDrained(_ connection: Connection) { bridge.innerDrained() }

    func connectionClosed(_ connection: Connection, _ error: TransportError?) {
      bridge.innerGone()
    }
  }
}
