internal import FlowSubjects

/// The subjects that are the server's own: what happens in it, and how it does.
struct OwnSubjects {
  let events: EventFeed
  let stats: StatsFeed

  init(engine: Engine) {
    events = EventFeed(engine: engine)
    stats = StatsFeed(engine: engine)
  }

  var all: [ServerSubject] { [events.subject, stats.subject] }
}
