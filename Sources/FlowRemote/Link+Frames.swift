import FlowTransport
import FlowWire

extension Link: ConnectionHandler {
  func connection(_ c: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    isReceiving = true
    receiving: while failure == nil {
      switch decoder.next(buffer, &offset) {
      case .incomplete: break receiving
      case .value(let id, let place):
        let payload = UnsafeRawBufferPointer(rebasing: buffer[place])
        if let trace { trace(RemoteTrace(isInput: true, line: Self.text(id, payload))) }
        stream(id)?.received(payload)
      case .callValue(let id, _):
        end(broken: WireError(.unknownStream, "it called \(id), which serves nothing"))
      case .line(let place): take(UnsafeRawBufferPointer(rebasing: buffer[place]))
      case .send: end(broken: WireError(.unknownCommand, "it said SEND"))
      case .refused(let error), .broken(let error): end(broken: error)
      }
    }
    isReceiving = false
    let passed = busy
    busy = []
    for stream in passed { stream.valuesPassed() }
    return failure == nil ? offset : buffer.count
  }

  private static func text(_ id: UInt64, _ payload: UnsafeRawBufferPointer) -> String {
    "= \(id) \(String(decoding: payload, as: UTF8.self))"
  }

  private func take(_ octets: UnsafeRawBufferPointer) {
    guard !octets.isEmpty else { return }
    trace?(RemoteTrace(isInput: true, line: String(decoding: octets, as: UTF8.self)))
    do throws(WireError) {
      let line = try TaggedServerLine(octets)
      take(line, octets)
    } catch {
      end(broken: error)
    }
  }

  private func take(_ line: TaggedServerLine, _ octets: UnsafeRawBufferPointer) {
    switch line.line {
    case .greeting(let greeting): greeted(greeting)
    case .ok(let answer): self.answer { .success(RemoteAnswer(rows: $0, answer)) }
    case .pong(let text):
      let answer = Answer("pong", fields: text.map { [$0] } ?? [])
      self.answer { .success(RemoteAnswer(rows: $0, answer)) }
    case .error(let code, let text):
      // An error that comes from a signal or a value is no command's answer.
      guard line.tag != "!" else { return }
      self.answer { _ in .failure(RemoteError(code: code, message: text)) }
    case .row(let text): answers.add(row: text)
    case .note: break
    case .done(let id): stream(id.rawValue)?.ended(nil)
    case .fail(let id, let code, let text):
      stream(id.rawValue)?.ended(RemoteError(code: code, message: text))
    case .drop(let id, let count, let reason):
      stream(id.rawValue)?.missed(count, reason: reason)
    case .request(let id, let demand): stream(id.rawValue)?.granted(demand)
    case .cancel(let id, let reason):
      let error = RemoteError(code: reason ?? "cancelled", message: "the server ended the stream")
      stream(id.rawValue)?.ended(error)
    case .drain(let seconds): draining?(seconds)
    case .bye(let code, let text): end(RemoteError(code: code, message: text))
    }
  }

  private func answer(_ result: ([String]) -> Result<RemoteAnswer, RemoteError>) {
    guard let (answer, rows) = answers.take() else {
      return end(RemoteError(code: RemoteError.protocolBroken, message: "an answer too many"))
    }
    answer(result(rows))
  }

  func connectionInputEnded(_ c: Connection) {
    end(RemoteError(code: RemoteError.lost, message: "the server closed the connection"))
  }

  func connectionDrained(_ c: Connection) {
    socketDrained()
  }

  func connectionClosed(_ c: Connection, _ error: TransportError?) {
    let message = error?.message ?? "the connection was closed"
    end(RemoteError(code: RemoteError.lost, message: message))
    letGo()
  }

  private func end(broken error: WireError) {
    let text = "the server does not speak the protocol: \(error.message)"
    end(RemoteError(code: RemoteError.protocolBroken, message: text))
  }
}
