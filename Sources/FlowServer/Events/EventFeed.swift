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

  func notify(_ event: () -> ServerEvent) {
    guard subject.outletCount > 0 else { return }
    let time = JSONObject.Member(key: "time", value: .double(engine.uptime))
    waiting.append(.object(JSONObject(members: event().members + [time])))
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
  /// Notes what happened, if anybody wants to know; the event is made only then.
  func notify(_ event: @autoclosure () -> ServerEvent) { ownSubjects.events.notify(event) }

  /// How long it has been there, in seconds with milliseconds.
  var uptime: Double { Double((now - started) / 1_000_000) / 1_000 }
}
