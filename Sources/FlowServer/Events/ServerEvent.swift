internal import FlowLanguage
package import FlowTransport

/// An event in the server, for `$events` and the log.
///
/// A new event needs a case here, a line in `protocol.md`, and an `engine.notify(…)`. Making one is
/// cheap; texts are made only when wanted.
package enum ServerEvent {
  case connected(client: Int, peer: SocketAddress)
  /// The reason is the code of a BYE, or `gone`.
  case closed(client: Int, reason: String)
  /// The kind is LIST's word.
  case defined(kind: String, name: String)
  case deleted(kind: String, name: String)
  /// The reason is `done` or a failure's code.
  case completed(name: String, reason: String)
  case opened(client: Int, id: UInt64, kind: String, name: String)
  /// The reason is `done`, `cancel` or a failure's code.
  case ended(client: Int, id: UInt64, name: String, reason: String)
  case missing(client: Int, id: UInt64, name: String, reason: String)
  /// A stage has left out `count` values; the text has the last one, and why.
  case leftOut(name: String, stage: String, text: String, count: Int)
  /// The reason is `done` or a failure's code.
  case stopped(name: String, reason: String, text: String)
  /// The run starts again after `wait` nanoseconds.
  case restarting(name: String, reason: String, text: String, wait: Int64)
  /// A subscription has held up the others of a subject for so long, since it was opened.
  case heldUp(name: String, who: String, milliseconds: Int)

  /// Memory was short, and `who` was ended or had to drop values.
  case relieved(who: String, bytes: Int)
  /// NATS can be used again.
  case natsBack(milliseconds: Int64)
  /// NATS cannot be used; the text is the reason.
  case natsAway(text: String)
  /// NATS lost a subject's stream or its end, with `count` values that some subscriptions missed.
  case natsLost(name: String, count: Int, text: String)
  /// This server begins or stops carrying out a shared run.
  case lease(name: String, isHeld: Bool)
  /// The text lists the changes, or the mistakes in the files.
  case reloaded(text: String)
  case notReloaded(text: String)

  var name: String {
    switch self {
    case .connected: "connected"
    case .closed: "closed"
    case .defined: "defined"
    case .deleted: "deleted"
    case .completed: "completed"
    case .opened: "opened"
    case .ended: "ended"
    case .missing: "missing"
    case .leftOut: "values-left-out"
    case .stopped: "stopped"
    case .restarting: "restarting"
    case .heldUp: "held-up"
    case .relieved: "relieved"
    case .natsBack: "nats-back"
    case .natsAway: "nats-away"
    case .natsLost: "nats-lost"
    case .lease: "lease"
    case .reloaded: "reloaded"
    case .notReloaded: "not-reloaded"
    }
  }

  /// The members of the event's object besides the name and the time.
  var members: [JSONObject.Member] {
    switch self {
    case .connected(let client, let peer): [.number("client", client), .text("peer", "\(peer)")]
    case .closed(let client, let reason): [.number("client", client), .text("reason", reason)]
    case .defined(let kind, let name), .deleted(let kind, let name):
      [.text("kind", kind), .text("name", name)]
    case .completed(let name, let reason): [.text("name", name), .text("reason", reason)]
    case .opened(let client, let id, let kind, let name):
      stream(client, id) + [.text("kind", kind), .text("name", name)]
    case .ended(let client, let id, let name, let reason),
      .missing(let client, let id, let name, let reason):
      stream(client, id) + [.text("name", name), .text("reason", reason)]
    case .leftOut(let name, let stage, let text, let count):
      [
        .text("name", name), .text("stage", stage), .text("text", text), .number("count", count),
      ]
    case .stopped(let name, let reason, let text):
      [.text("name", name), .text("reason", reason), .text("text", text)]
    case .restarting(let name, let reason, let text, let wait):
      [
        .text("name", name), .text("reason", reason), .text("text", text),
        .number("wait", Int(wait / 1_000_000)),
      ]
    case .heldUp(let name, let who, let milliseconds):
      [.text("name", name), .text("who", who), .number("held", milliseconds)]
    case .relieved(let who, let bytes): [.text("who", who), .number("bytes", bytes)]
    case .natsBack: []
    case .natsAway(let text), .reloaded(let text), .notReloaded(let text): [.text("text", text)]
    case .natsLost(let name, let count, let text):
      [.text("name", name), .number("count", count), .text("text", text)]
    case .lease(let name, let isHeld):
      [.text("name", name), .text("state", isHeld ? "here" : "lost")]
    }
  }

  private func stream(_ client: Int, _ id: UInt64) -> [JSONObject.Member] {
    [.number("client", client), .number("id", Int(id))]
  }
}

extension JSONObject.Member {
  static func text(_ key: String, _ text: String) -> Self { Self(key: key, value: .string(text)) }

  static func number(_ key: String, _ number: Int) -> Self { Self(key: key, value: .int(number)) }
}
