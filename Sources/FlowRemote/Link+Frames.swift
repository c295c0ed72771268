import FlowTransport
import FlowWire

extension Link: ConnectionHandler {
  func connection(_ c: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    isReceiving = true
    receiving: while uses(c) {
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: break receiving
      case .value(let id, let place):
        let payload = unsafe UnsafeRawBufferPointer(rebasing: buffer[place])
        unsafe trace(StreamID(rawValue: id), payload, isInput: true)
        unsafe stream(id)?.received(payload)
      case .callValue(let id, let place):
        let payload = unsafe UnsafeRawBufferPointer(rebasing: buffer[place])
        unsafe trace(id, payload, isInput: true)
        unsafe stream(id.rawValue)?.called(id.call, payload)
      case .line(let place): unsafe read(line: UnsafeRawBufferPointer(rebasing: buffer[place]))
      case .send: end(broken: WireError(.unknownCommand, "the server sent SEND"))
      case .refused(let error, _), .broken(let error): end(broken: error)
      }
    }
    isReceiving = false
    let passed = busy
    busy = []
    for stream in passed { stream.valuesPassed() }
    return uses(c) ? offset : buffer.count
  }

  private func read(line bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    unsafe settings.trace?(
      RemoteTrace(isInput: true, line: String(decoding: bytes, as: UTF8.self))
    )
    do throws(WireError) {
      unsafe handle(try TaggedServerLine(bytes))
    } catch {
      end(broken: error)
    }
  }

  private func handle(_ line: TaggedServerLine) {
    switch line.line {
    case .greeting(let greeting): greeted(greeting)
    case .ok(let ok):
      pace.accept()
      answer { .success(RemoteAnswer(rows: $0, text: ok.text, answer: ok)) }
    case .pong(let text):
      // A heartbeat answers no command.
      guard line.tag != "!" else { return }
      let pong = text.map { "pong \($0)" } ?? "pong"
      answer { .success(RemoteAnswer(rows: $0, text: pong, answer: nil)) }
    case .error(let code, let text):
      // The error of a signal or a value answers no command.
      guard line.tag != "!" else { return }
      if pace.refuse() { pauseCommands() }
      self.answer { _ in .failure(.refused(code: code, text: text)) }
    case .row(let text): pending.add(row: text)
    case .note: break
    case .done(let id): stream(id.rawValue)?.ended(nil)
    case .fail(let id, let code, let text):
      stream(id.rawValue)?.ended(.failed(code: code, text: text))
    case .drop(let id, let count, let reason):
      stream(id.rawValue)?.missed(count, reason: reason)
    case .request(let id, let demand):
      if id.isCall {
        stream(id.rawValue)?.granted(demand, call: id.call)
      } else {
        stream(id.rawValue)?.granted(demand)
      }
    case .cancel(let id, _) where id.isCall: stream(id.rawValue)?.cancelled(call: id.call)
    case .cancel(let id, let reason):
      stream(id.rawValue)?.ended(.cancelled("stream", reason: reason))
    case .drain(let seconds): settings.draining?(seconds)
    case .bye(let code, let text): lose(.goodbye(code: code, text: text))
    }
  }

  private func answer(_ result: ([String]) -> Result<RemoteAnswer, RemoteError>) {
    guard let (answer, rows) = pending.take() else {
      return end(.protocolBroken("the server sent an answer to no command"))
    }
    answer(result(rows))
  }

  func connectionInputEnded(_ c: Connection) {
    if uses(c) { lose(.lost("the server closed the connection")) }
  }

  func connectionDrained(_ c: Connection) {
    guard uses(c) else { return }
    for stream in streamsInOrder { stream.socketDrained() }
  }

  func connectionClosed(_ c: Connection, _ error: TransportError?) {
    if uses(c) { lose(.lost(error?.message ?? "the connection was closed")) }
    release()
  }

  /// Releases itself at the end of this turn; until then its connection and loop need it.
  private func release() {
    loop.post { [self] in
      switch phase {
      case .connecting, .ended: keptAlive = nil
      case .greeting, .open: break
      }
    }
  }

  private func end(broken error: WireError) {
    end(.protocolBroken("the server does not speak the protocol: \(error.message)"))
  }
}
