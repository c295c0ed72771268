import FlowTransport
import FlowWire

/// The connection behind a `TypedConversation`.
final class TypedLink: @unchecked Sendable {  // its variables belong to the loop's queue
  private let loop: EventLoop
  private let received: @Sendable (TypedConversation.Event) -> Void
  private let trace: (@Sendable (RemoteTrace) -> Void)?
  private var connection: Connection?
  private var decoder = FrameDecoder(limits: .client)
  private var goodbye: RemoteError?
  /// Whether the answer to the token is pending.
  private var awaitsToken = false
  private var isEnded = false
  /// Whether the server has sent anything.
  private var isGreeted = false
  /// Keeps the link alive until its connection is closed.
  private var keptAlive: TypedLink?
  /// Called when the socket takes bytes again.
  private var waiting: [@Sendable () -> Void] = []

  init(
    _ platform: any Platform,
    trace: (@Sendable (RemoteTrace) -> Void)?,
    received: @escaping @Sendable (TypedConversation.Event) -> Void
  ) {
    loop = EventLoop(label: "flow.conversation", platform: platform)
    self.trace = trace
    self.received = received
  }

  /// Reads from `socket`; ends if the server stays silent for `patience`.
  func begin(_ socket: ConnectedSocket, _ patience: Duration) {
    loop.post { [self] in
      connection = loop.register(socket, handler: self)
      keptAlive = self
    }
    loop.platform.run(after: patience.inNanoseconds) { [weak self] in
      self?.loop.post { [weak self] in
        guard let self, !isGreeted else { return }
        end(.unresponsive("the server sent no greeting"))
      }
    }
  }

  func send(_ bytes: [UInt8], _ taken: @escaping @Sendable () -> Void) {
    loop.post { [self] in
      guard let connection, !isEnded else { return taken() }
      if let trace {
        for line in bytes.split(separator: 10) {
          trace(RemoteTrace(isInput: false, line: String(decoding: line, as: UTF8.self)))
        }
      }
      connection.append(bytes)
      connection.flush()
      if connection.isBlocked { waiting.append(taken) } else { taken() }
    }
  }

  /// Sends the token; its answer is hidden unless it is a refusal.
  func authorize(_ token: String) {
    loop.post { [self] in
      awaitsToken = true
      connection?.append(TaggedCommand(tag: Self.tokenTag, .auth(token)).bytes)
    }
  }

  private static let tokenTag = "token"

  func holdInput(_ isHeld: Bool) {
    loop.post { [self] in
      if isHeld { connection?.pauseReading() } else { connection?.resumeReading() }
    }
  }

  func close() {
    loop.post { self.end(nil) }
  }
}

extension TypedLink: ConnectionHandler {
  func connection(_ c: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    isGreeted = true
    receiving: while !isEnded {
      let start = offset
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: break receiving
      case .value(_, let place), .callValue(_, let place):
        var end = offset - 1
        if end > start, unsafe buffer[end - 1] == 13 { end -= 1 }
        let line = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
        unsafe traceInput(line)
        unsafe received(
          .value(line: line, payload: UnsafeRawBufferPointer(rebasing: buffer[place]))
        )
      case .line(let place):
        let line = unsafe UnsafeRawBufferPointer(rebasing: buffer[place])
        unsafe traceInput(line)
        unsafe receive(String(decoding: line, as: UTF8.self))
      case .send: end(.protocolBroken("the server sent SEND"))
      case .refused(let error, _), .broken(let error):
        end(.protocolBroken(error.message))
      }
    }
    received(.passed)
    return isEnded ? buffer.count : offset
  }

  private func traceInput(_ line: UnsafeRawBufferPointer) {
    unsafe trace?(RemoteTrace(isInput: true, line: String(decoding: line, as: UTF8.self)))
  }

  private func receive(_ line: String) {
    let said = try? TaggedServerLine(line)
    if awaitsToken, said?.tag == Self.tokenTag {
      awaitsToken = false
      if case .error(let code, let text)? = said?.line { end(.refused(code: code, text: text)) }
      return
    }
    if case .bye(let code, let text)? = said?.line {
      goodbye = .goodbye(code: code, text: text)
    }
    received(.line(line))
  }

  func connectionInputEnded(_ c: Connection) {
    end(goodbye)
  }

  func connectionDrained(_ c: Connection) {
    let drained = waiting
    waiting = []
    for taken in drained { taken() }
  }

  func connectionClosed(_ c: Connection, _ error: TransportError?) {
    end(goodbye ?? error.map { .lost($0.message) })
    // Until the end of this turn its connection and loop need it.
    loop.post { self.keptAlive = nil }
  }

  private func end(_ error: RemoteError?) {
    guard !isEnded else { return }
    isEnded = true
    connection?.close()
    connection = nil
    received(.ended(error))
    for taken in waiting { taken() }
    waiting = []
  }
}
