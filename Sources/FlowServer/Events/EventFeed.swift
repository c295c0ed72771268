internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The subject `$events`: one JSON object for each event in the server.
///
/// Without subscriptions nothing is kept. Events are sent near the end of the turn, never from
/// inside their cause.
final class EventFeed {
  static let name = "$events"

  let subject: ServerSubject
  private unowned let engine: Engine
  private var waiting: [Value] = []

  init(engine: Engine) {
    self.engine = engine
    subject = ServerSubject(name: Self.name, settings: SubjectSettings(), host: engine)
  }

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
  /// Reports an event in `$events` and in the log; it is made only if one of them wants it.
  package func notify(_ event: @autoclosure () -> ServerEvent) {
    let isWanted = ownSubjects.events.isWanted
    guard isWanted || eventLog.level <= ServerEvent.greatestLevel else { return }
    let event = event()
    if isWanted { ownSubjects.events.notify(event) }
    log(event)
  }

  /// Time since the start, in seconds, rounded to milliseconds.
  var uptime: Double { Double((now - started) / 1_000_000) / 1_000 }
}
