internal import FlowLanguage
internal import FlowWire

/// The destination of the server's log events.
struct EventLog: Sendable {
  /// Events below this level are not made.
  let level: ServerLogEvent.Level
  let write: @Sendable (ServerLogEvent) -> Void
}

extension Engine {
  /// Logs something that is not in `$events`; the parts are made only if wanted.
  package func log(
    _ level: ServerLogEvent.Level,
    _ name: String,
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> [ServerLogEvent.Field] = []
  ) {
    guard level >= eventLog.level else { return }
    eventLog.write(ServerLogEvent(level, name, message(), fields()))
  }

  /// Logs an event of `$events`.
  package func log(_ event: ServerEvent) {
    let level = event.level
    guard level >= eventLog.level else { return }
    // Clients can bring these about at will, so each kind has a rate limit.
    switch event {
    case .leftOut, .stopped, .restarting: if !prints.admits("runs") { return }
    case .heldUp: if !prints.admits("hold-ups") { return }
    default: break
    }
    eventLog.write(ServerLogEvent(level, event.name, event.message, event.fields))
  }
}

extension ServerEvent {
  /// The highest level of all events.
  static let greatestLevel = ServerLogEvent.Level.warning

  var level: ServerLogEvent.Level {
    switch self {
    case .connected, .defined, .deleted, .completed, .opened, .ended, .missing, .leftOut, .lease:
      .debug
    case .closed(_, let reason): reason == Self.overflow ? .warning : .debug
    case .stopped(_, let reason, _): reason == Self.done ? .debug : .warning
    case .heldUp, .natsBack, .reloaded: .info
    case .restarting, .relieved, .natsAway, .natsLost, .notReloaded: .warning
    }
  }

  /// The text for people.
  ///
  /// Without the reason of a failed run, which may show values; `SHOW` shows that to clients that
  /// may read them.
  var message: String {
    switch self {
    case .connected(let client, let peer): "client \(client) has connected from \(peer)"
    case .closed(let client, Self.overflow):
      "client \(client) was disconnected: too much was held for it (\(Self.overflow))"
    case .closed(let client, let reason): "client \(client) is gone: \(reason)"
    case .defined(let kind, let name): "defined \(kind) \(name)"
    case .deleted(let kind, let name): "deleted \(kind) \(name)"
    case .completed(let name, let reason): "subject \(name) has ended: \(reason)"
    case .opened(let client, let id, let kind, let name):
      "client \(client) has opened \(kind) \(id) of \(name)"
    case .ended(let client, let id, let name, let reason):
      "stream \(id) of client \(client), \(name), has ended: \(reason)"
    case .missing(let client, let id, let name, let reason):
      "stream \(id) of client \(client), \(name), misses values: \(reason)"
    case .leftOut(let name, let stage, _, let count):
      "\(name) left out \(count) \(count == 1 ? "value" : "values") at \(stage); SHOW \(name) says why"
    case .stopped(let name, Self.done, _): "run \(name) is done"
    case .stopped(let name, let reason, _): "run \(name) failed: \(reason); SHOW \(name) says why"
    case .restarting(let name, let reason, _, let wait):
      "run \(name) failed: \(reason); it starts again in \(wait / 1_000_000) ms, its state anew"
    case .heldUp(let name, let who, let milliseconds):
      "\(who) has held up \(name) for \(milliseconds) ms in sum"
    case .relieved(let who, let bytes): "short of memory: took \(bytes) bytes from \(who)"
    case .natsBack(let milliseconds): "NATS is back after \(milliseconds) ms"
    case .natsAway(let text): "NATS is away: \(text)"
    case .natsLost(let name, _, let text):
      "\(text); subject \(name) takes no values until it is deleted"
    case .lease(let name, let isHeld):
      "run \(name) is \(isHeld ? "" : "no longer ")carried out here"
    case .reloaded(let text): "reloaded: \(text)"
    case .notReloaded(let text): "not reloaded, nothing changed: \(text)"
    }
  }

  /// The members of the event in `$events`, without any that may show values.
  var fields: [ServerLogEvent.Field] {
    let tellsOfValues =
      switch self {
      case .leftOut, .stopped, .restarting: true
      default: false
      }
    return members.compactMap { member in
      switch member.value {
      case .int(let number): .number(member.key, number)
      case .string(let text): tellsOfValues && member.key == "text" ? nil : .text(member.key, text)
      default: nil
      }
    }
  }

  private static let done = "done"
  private static let overflow = ErrorCode.overflow.rawValue
}
