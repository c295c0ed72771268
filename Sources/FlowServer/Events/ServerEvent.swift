internal import FlowLanguage

/// Something that happened in the server: what `$events` tells.
///
/// A new event is a case here, a line of `protocol.md`, and an `engine.notify(…)` where it happens.
enum ServerEvent {
  case connected(client: Int, peer: String)
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
  /// A run has ended; the reason is `done` or a failure's code.
  case stopped(name: String, reason: String, text: String)

  /// Somebody was ended, or made to forget, since the server was short of memory and he held most.
  case relieved(who: String, bytes: Int)
  /// NATS can be used again.
  case natsBack
  /// NATS cannot be used; the text says why.
  case natsAway(text: String)
  /// A run for all servers is on this one from now on, or no longer.
  case lease(name: String, isHeld: Bool)
  /// Files were read again; the text is what has changed, or what is wrong with them.
  case reloaded(text: String)
  case notReloaded(text: String)

  /// The members of the object that tells it, but for the time.
  var members: [JSONObject.Member] {
    switch self {
    case .connected(let client, let peer):
      [.text("event", "connected"), .number("client", client), .text("peer", peer)]
    case .closed(let client, let reason):
      [.text("event", "closed"), .number("client", client), .text("reason", reason)]
    case .defined(let kind, let name):
      [.text("event", "defined"), .text("kind", kind), .text("name", name)]
    case .deleted(let kind, let name):
      [.text("event", "deleted"), .text("kind", kind), .text("name", name)]
    case .completed(let name, let reason):
      [.text("event", "completed"), .text("name", name), .text("reason", reason)]
    case .opened(let client, let id, let kind, let name):
      stream("opened", client, id) + [.text("kind", kind), .text("name", name)]
    case .ended(let client, let id, let name, let reason):
      stream("ended", client, id) + [.text("name", name), .text("reason", reason)]
    case .missing(let client, let id, let name, let reason):
      stream("missing", client, id) + [.text("name", name), .text("reason", reason)]
    case .stopped(let name, let reason, let text):
      [
        .text("event", "stopped"), .text("name", name), .text("reason", reason),
        .text("text", text),
      ]
    case .relieved(let who, let bytes):
      [.text("event", "relieved"), .text("who", who), .number("bytes", bytes)]
    case .natsBack: [.text("event", "nats-back")]
    case .natsAway(let text): [.text("event", "nats-away"), .text("text", text)]
    case .lease(let name, let isHeld):
      [.text("event", "lease"), .text("name", name), .text("state", isHeld ? "here" : "lost")]
    case .reloaded(let text): [.text("event", "reloaded"), .text("text", text)]
    case .notReloaded(let text): [.text("event", "not-reloaded"), .text("text", text)]
    }
  }

  private func stream(_ event: String, _ client: Int, _ id: UInt64) -> [JSONObject.Member] {
    [.text("event", event), .number("client", client), .number("id", Int(id))]
  }
}

extension JSONObject.Member {
  static func text(_ key: String, _ text: String) -> Self { Self(key: key, value: .string(text)) }

  static func number(_ key: String, _ number: Int) -> Self { Self(key: key, value: .int(number)) }
}
