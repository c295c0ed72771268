internal import FlowLanguage
internal import FlowTransport

/// Something that happened in the server: what `$events` tells, and the log as far as it is wanted.
///
/// A new event is a case here, a line of `protocol.md`, and an `engine.notify(…)` where it happens.
/// To make one costs next to nothing: it is put into words only for who wants to know.
enum ServerEvent {
  case connected(client: Int, peer: SocketAddress)
  /// The reason is the code of a BYE, or `gone`.
  case closed(client: Int, reason: String)
  /// The kind is what LIST calls it.
  case defined(kind: String, name: String)
  case deleted(kind: String, name: String)
  /// A subject has ended; the reason is `done` or a failure's code.
  case completed(name: String, reason: String)
  case opened(client: Int, id: UInt64, kind: String, name: String)
  /// The reason is `done`, `cancel` or a failure's code.
  case ended(client: Int, id: UInt64, name: String, reason: String)
  /// A stream has missed its first value.
  case missing(client: Int, id: UInt64, name: String, reason: String)
  /// A stage has left out `count` values; the text has the last one, and why.
  case leftOut(name: String, stage: String, text: String, count: Int)
  /// A run has ended; the reason is `done` or a failure's code.
  case stopped(name: String, reason: String, text: String)
  /// A run has failed and is started again after so many nanoseconds.
  case restarting(name: String, reason: String, text: String, wait: Int64)

  /// Somebody was ended, or made to forget, since the server was short of memory and he held most.
  case relieved(who: String, bytes: Int)
  /// NATS can be used again, after so long.
  case natsBack(milliseconds: Int64)
  /// NATS cannot be used; the text says why.
  case natsAway(text: String)
  /// NATS has lost the stream of a subject or its end, with `count` values that not all subscriptions had got.
  case natsLost(name: String, count: Int, text: String)
  /// A run for all servers is on this one from now on, or no longer.
  case lease(name: String, isHeld: Bool)
  /// Files were read again; the text is what has changed, or what is wrong with them.
  case reloaded(text: String)
  case notReloaded(text: String)

  /// What happened, in a word.
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
    case .relieved: "relieved"
    case .natsBack: "nats-back"
    case .natsAway: "nats-away"
    case .natsLost: "nats-lost"
    case .lease: "lease"
    case .reloaded: "reloaded"
    case .notReloaded: "not-reloaded"
    }
  }

  /// The members of the object that tells it, but for the name and the time.
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
