internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// A SEND to a subject of NATS, which is answered when the value is stored.
extension Client {
  /// The subject of NATS that values sent to `entrance` go to, if they do.
  func shared(_ entrance: ServerSubject) -> SharedSubject? {
    entrance.isEntrance ? engine.shared?[entrance.name] : nil
  }

  /// Sends a value that is answered when it is stored.
  func send(_ bytes: UnsafeRawBufferPointer, to shared: SharedSubject) {
    if let loss = shared.loss { return refuse(loss.error.code, loss.error.message) }
    let held = hold(orSay: shared.notStored, bytes: 128 + bytes.count)
    let sender = SentValue(held, of: self, shared)
    let entrance = shared.entrance
    if entrance.hasCredit {
      unsafe entrance.publish(bytes, from: sender)
      limit(held)
    } else {
      let send = unsafe WaitingSend(value: Array(bytes), from: sender) { [weak self] _, result in
        switch result {
        case .sent: self?.limit(held)
        case .refused(let code, let text):
          self?.answer(held, .error(code: code.rawValue, text: text))
        }
      }
      entrance.wait(send)
      limit(send, at: shared, held)
    }
    if hasManySends { wait(.credit) }
  }

  /// Gives up a value that has found no room in time.
  private func limit(_ send: WaitingSend, at shared: SharedSubject, _ held: HeldAnswer) {
    let limit = engine.configuration.sendWait
    after(limit) { client in
      guard !send.isOver else { return }
      shared.entrance.forget(send)
      let time = limit / 1_000_000
      if let loss = shared.loss {
        send.end(.refused(.away, loss.error.message))
      } else if shared.stream == nil {
        let reason = shared.shared.reason.map { ": \($0)" } ?? ""
        let text = "NATS was away for \(time) ms\(reason); the value was not sent"
        send.end(.refused(.away, text))
      } else {
        let text = "\(shared.name) had no room for \(time) ms; the value was not sent"
        send.end(.refused(.noDemand, text))
      }
    }
  }
}

/// A value of a SEND, on its way to NATS.
private final class SentValue: ValueSender {
  private let held: HeldAnswer
  private weak var client: Client?
  private let shared: SharedSubject

  init(_ held: HeldAnswer, of client: Client, _ shared: SharedSubject) {
    self.held = held
    self.client = client
    self.shared = shared
  }

  func kept(_ count: Int, at sequence: UInt64?) {
    client?.answer(held, .ok(.stored(name: shared.name, sequence: sequence)))
  }

  func notKept(_ count: Int, _ reason: ErrorCode) {
    // It was under way, and may have been stored and read before.
    let code = reason == .deleted ? ErrorCode.away : reason
    client?.answer(held, .error(code: code.rawValue, text: text(reason)))
  }

  private func text(_ reason: ErrorCode) -> String {
    switch reason {
    case .away: shared.notStored.message
    case .valueTooLong:
      "the value is too long for NATS; the limit is \(shared.longestValue) bytes"
    case .completed: "subject \(shared.name) has completed"
    default: "subject \(shared.name) was deleted; the value may or may not have been stored"
    }
  }
}
