internal import FlowCore
internal import FlowHTTP
internal import FlowTransport

/// A session over a WebSocket: a text message is a line, a binary message is what follows the head of a
/// counted frame.
///
/// The session itself speaks to one end of a pair of sockets, as to any client, and this to the other: so
/// it has the same frames, limits, rights and gates. Whoever does not read holds up his own end of
/// the pair, and by that the session.
final class WebSocketBridge {
  private let browser: Connection
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var inner: Connection?
  private var decoder: WebSocketDecoder
  private var splitter = MessageSplitter()
  private var browserEnd: BrowserEnd?
  private var innerEnd: InnerEnd?
  /// Whether the browser was told of the end.
  private var isClosed = false

  init(_ browser: Connection, engine: Engine) throws(TransportError) {
    self.browser = browser
    self.engine = engine
    let configuration = engine.configuration
    decoder = WebSocketDecoder(
      longestMessage: max(configuration.lineLimit, configuration.valueLimit)
    )
    try engine.loop.makePair(peer: browser.peer) { session, inner in
      engine.clients.accept(session)
      let end = InnerEnd(self)
      inner.handler = end
      innerEnd = end
      self.inner = inner
    }
  }

  /// Takes over the connection, whose handshake is done.
  func begin() {
    let end = BrowserEnd(self)
    browserEnd = end
    browser.handler = end
  }

  // MARK: From the browser

  fileprivate func received(_ buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while !isClosed, let inner, !browser.isPaused {
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: return offset
      case .message(let isText, let bytes):
        guard !isText || !bytes.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
          close(WebSocketClose.policyViolation, "a text message is one line")
          return buffer.count
        }
        if isText { splitter.noteCommand(bytes) }
        inner.append(bytes)
        inner.append([0x0A])
        inner.flush()
        // The session does not read now: neither is the browser read.
        if inner.isBlocked { browser.pauseReading() }
      case .ping(let payload): write { WebSocketWriter.pong(payload, into: &$0) }
      case .pong: break
      case .close(let code, _): close(code ?? WebSocketClose.normal, "")
      case .failed(let code, let reason): close(code, reason)
      }
    }
    return isClosed ? buffer.count : offset
  }

  fileprivate func browserGone() {
    isClosed = true
    inner?.close()
    inner = nil
  }

  /// There is room for the browser again.
  fileprivate func browserDrained() { inner?.resumeReading() }

  // MARK: From the session

  fileprivate func receivedInner(_ buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while !isClosed, let inner {
      guard !browser.isBlocked else {
        inner.pauseReading()
        break
      }
      guard let message = unsafe splitter.next(buffer, offset) else { break }
      offset = message.end
      write { bytes in
        WebSocketWriter.header(
          message.isText ? .text : .binary,
          length: message.bytes.count,
          into: &bytes
        )
      }
      unsafe browser.append(UnsafeRawBufferPointer(rebasing: buffer[message.bytes]))
    }
    return isClosed ? buffer.count : offset
  }

  /// The session has ended: the browser has a while to read what that said.
  fileprivate func limitReading() {
    let unsent = browser.unsent
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(engine.configuration.farewell)))
    engine.clock.schedule(after: date) { [weak self] in
      guard let self, browser.isOpen else { return }
      if browser.unsent > 0, browser.unsent >= unsent { browser.reset() } else { limitReading() }
    }
  }

  /// The session has ended, and has said so.
  fileprivate func innerGone() {
    inner = nil
    close(WebSocketClose.normal, "the session has ended")
  }

  /// The session reads again.
  fileprivate func innerDrained() { browser.resumeReading() }

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
    engine.clients.limitClosing(browser)
    browser.closeAfterFlush()
    inner?.close()
    inner = nil
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

    func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
      unsafe bridge.receivedInner(buffer)
    }

    func connectionInputEnded(_ connection: Connection) {
      bridge.innerGone()
      connection.close()
    }

    func connectionDrained(_ connection: Connection) { bridge.innerDrained() }

    /// The session has ended; what it said is read when the browser has room for it.
    func connectionPeerVanished(_ connection: Connection) { bridge.limitReading() }

    func connectionClosed(_ connection: Connection, _ error: TransportError?) {
      bridge.innerGone()
    }
  }
}
