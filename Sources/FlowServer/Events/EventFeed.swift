internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The subject `$events`: what happens in the server, as one JSON object each.
///
/// Without subscriptions nothing is kept. What happens in a turn is told towards its end, so that
/// no event is sent from inside what caused it.
final class EventFeed {
  static let name = "$events"

  let subject: ServerSubject
  private unowned let engine: Engine
  private var waiting: [Value] = []

  init(engine: Engine) {
    self.engine = engine
    subject = ServerSubject(name: Self.name, settings: SubjectSettings(), host: engine)
  }

  /// Whether anybody subscribes.
  var isWanted: Bool { subject.outletCount > 0 }

  func notify(_ event: ServerEvent) {
    let time = JSONObject.Member(key: "time", value: .double(engine.uptime))
    let members = [.text("event", event.name)] + event.members + [time]
    waiting.append(.object(JSONObject(members: members)))
    engine.turn.hasEvents = true
  }

  func deliver() {
    let events = waiting
    waiting.removeAll()
    engine.turn.hasEvents = false
    for event in events { unsafe event.withBytes { _ = unsafe subject.publish($0) } }
  }
}

extension Engine {
  /// Notes what happened, in `$events` and in the log; the event is made only if anybody may want to
  /// know.
  func notify(_ event: @autoclosure () -> ServerEvent) {
    let isWanted = ownSubjects.events.isWanted
    guard isWanted || eventLog.level <= ServerEvent.greatestLevel else { return }
    let event = event()
    if isWanted { ownSubjects.events.notify(event) }
    log(event)
  }

  /// How long it has been there, in seconds with milliseconds.
  var uptime: Double { Double((now - started) / 1_000_000) / 1_000 }
}
