internal import FlowSubjects

/// The server's own subjects: `$events` and `$stats`.
struct OwnSubjects {
  let events: EventFeed
  let stats: StatsFeed

  init(engine: Engine) {
    events = EventFeed(engine: engine)
    stats = StatsFeed(engine: engine)
  }

  var all: [ServerSubject] { [events.subject, stats.subject] }
}
