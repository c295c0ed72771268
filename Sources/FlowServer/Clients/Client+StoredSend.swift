internal import FlowSubjects
internal import FlowWire

// A SEND to a subject with a backend, answered when the value is stored.
extension Client {
  func send(_ bytes: UnsafeRawBufferPointer, to backend: any SubjectBackend) {
    if let error = backend.refusal { return refuse(error.code, error.message) }
    let held = hold(orSay: backend.notStored(.away), bytes: 128 + bytes.count)
    let sender = SentValue(held, of: self, backend)
    let intake = backend.intake
    if intake.hasCredit {
      unsafe intake.publish(bytes, from: sender)
      limit(held)
    } else {
      let send = unsafe WaitingSend(value: Array(bytes), from: sender) { [weak self] _, result in
        switch result {
        case .sent: self?.limit(held)
        case .refused(let code, let text):
          self?.answer(held, .error(code: code.rawValue, text: text))
        }
      }
      held.send = (send, intake)
      intake.wait(send)
      let limit = engine.configuration.timeouts.sendWait
      after(limit) { _ in
        guard !send.isOver else { return }
        intake.forget(send)
        let error = backend.noRoom(for: limit)
        send.end(.refused(error.code, error.message))
      }
    }
    if hasManySends { wait(.credit) }
  }
}

private final class SentValue: ValueSender {
  private let held: HeldAnswer
  private weak var client: Client?
  private let backend: any SubjectBackend

  init(_ held: HeldAnswer, of client: Client, _ backend: any SubjectBackend) {
    self.held = held
    self.client = client
    self.backend = backend
  }

  func kept(_ count: Int, at sequence: UInt64?) {
    client?.answer(held, .ok(.stored(name: backend.subject.name, sequence: sequence)))
  }

  func notKept(_ count: Int, _ reason: ErrorCode) {
    let error = backend.notStored(reason)
    client?.answer(held, .error(code: error.code.rawValue, text: error.message))
  }
}
