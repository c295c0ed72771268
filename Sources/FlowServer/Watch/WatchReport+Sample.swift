internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// How it does: told four times a second. Counters are totals, so that none of the samples is needed.
extension WatchReport {
  /// A sample; with a line for each name where it `tellsAll`.
  func sample(of watch: Watch, tellsAll: Bool) -> Value {
    let slow = SlowReaders(engine)
    return .object([
      "at": .int(Int((engine.now - engine.started) / 1_000_000)),
      "judged": watch.isJudged ? nil : .bool(false),
      "server": gate.seesServer ? server(watch) : nil,
      "unserved": unserved(slow),
      "all": tellsAll ? all(watch, slow) : nil,
      "watched": watched(watch, slow),
    ])
  }

  /// The figures of the whole server.
  private func server(_ watch: Watch) -> Value {
    .object([
      "connections": .int(engine.clients.count),
      "streams": .int(engine.streams.count),
      "busy": .rounded(watch.load.share),
      "in": .int(engine.publishedValues),
      "out": .int(engine.deliveredValues),
    ])
  }

  // MARK: All names

  private func all(_ watch: Watch, _ slow: SlowReaders) -> Value {
    let rows = names.told.compactMap { name in
      row(name, watch, slow).map { JSONObject.Member(key: name, value: $0) }
    }
    return .object(JSONObject(members: rows))
  }

  /// Verdict, whom it is about, states of the stages, and what only grows.
  private func row(_ name: String, _ watch: Watch, _ slow: SlowReaders) -> Value? {
    if let subject = engine.registry.subject(name) {
      let verdict = visible(engine.verdict(on: subject, slow), of: name)
      let readers = subject.readable.reduce(0) { $0 + $1.outletCount }
      return row(
        verdict,
        verdict.end ?? verdict.name ?? "",
        subject.published,
        subject.missed,
        readers,
        subject.published,
        watch.rates(of: subject)
      )
    }
    guard let seen = watch.names[name] else { return nil }
    let figures = told(seen.figures(at: engine.now), of: name)
    let verdict = visible(seen.verdict, of: name)
    return row(
      verdict,
      verdict.who(seen.pipeline.stages),
      figures.last?.sent ?? 0,
      figures.reduce(0) { $0 + $1.dropped },
      seen.counters.count,
      figures.first?.taken ?? 0,
      told(seen.rates, of: name).flatMap(StageRates.init(ofAll:))
    )
  }

  /// The figures of all stages if the inside of `name` may be shown, or else of one stage, with only what a reader
  /// of the name knows: what comes out and what is asked for.
  private func told(_ figures: [StageFigures], of name: String) -> [StageFigures] {
    guard !gate.seesInside(name) else { return figures }
    guard let last = figures.last, engine.registry.run(name) == nil else { return [StageFigures()] }
    return [StageFigures(taken: last.sent, sent: last.sent, demand: last.demand)]
  }

  /// The rates of the stages, reduced in the same way.
  private func told(_ rates: [StageRates]?, of name: String) -> [StageRates]? {
    guard let last = rates?.last, !gate.seesInside(name) else { return rates }
    guard engine.registry.run(name) == nil else { return [StageRates()] }
    return [StageRates(came: last.went, went: last.went)]
  }

  private func row(
    _ verdict: Verdict,
    _ who: String,
    _ out: Int,
    _ lost: Int,
    _ runs: Int,
    _ came: Int,
    _ rates: StageRates?
  ) -> Value {
    .array([
      .string(verdict.code.rawValue), .string(who), .string(verdict.states), .int(out), .int(lost),
      .int(runs), .int(came), value(rates),
    ])
  }

  /// Values a second that came, left and were dropped; null if not known yet.
  private func value(_ rates: StageRates?) -> Value {
    guard let rates else { return .null }
    return .array([.rounded(rates.came), .rounded(rates.went), .rounded(rates.lost)])
  }

  // MARK: The name that was chosen

  private func watched(_ watch: Watch, _ slow: SlowReaders) -> Value? {
    guard gate.reads(query.name) else { return nil }
    if let subject = engine.registry.subject(query.name) { return watched(subject, slow) }
    guard let seen = watch.names[query.name] else { return nil }
    let inside = gate.seesInside(query.name)
    let run = query.stream.isEmpty ? nil : watch.run(of: query.stream, in: seen)
    let isAlone = !query.stream.isEmpty
    let all =
      isAlone
      ? seen.pipeline.stages.indices.map { place in
        run.map { seen.pipeline.figures(at: place, in: $0.counters) } ?? StageFigures()
      } : seen.figures(at: engine.now)
    let figures = told(all, of: query.name)
    let shown = inside ? seen : nil
    let tallies: [StageTally]? = isAlone ? run?.tallies : shown?.tallies
    let times: [DeliveryTimes]? = isAlone ? run?.stageTimes : shown?.stageTimes
    let verdict =
      isAlone
      ? run.flatMap { watch.verdict(on: $0, of: query.name, slow) }
        ?? .missing(query.stream, of: query.name, stages: figures.count) : seen.verdict
    let standing = engine.registry.run(query.name)
    let rates = told(isAlone ? run?.rates : seen.rates, of: query.name)
    let lasted = isAlone ? nil : seen.lasting.lasted(at: engine.now)
    return .object([
      "name": .string(query.name),
      "stream": isAlone ? .string(query.stream) : nil,
      "verdict": value(visible(verdict, of: query.name), lasted),
      "stages": .array(
        figures.enumerated().map { place, figures in
          let tally = inside ? tallies?[place] : nil
          let times = inside ? times?[place] : nil
          return stage(place, (figures, tally ?? StageTally()), shown, times, rates?[place])
        }
      ),
      "delivery": inside ? delivery(isAlone ? run?.times : seen.times) : nil,
      "restarts": standing?.restarts.map { .int($0.count) },
      "subscribers": standing == nil ? subscribers(of: seen.pipeline) : nil,
    ])
  }

  /// How long values took, in milliseconds: half of them, and nearly all.
  private func delivery(_ times: DeliveryTimes?) -> Value? {
    guard let times, let half = times.percentile(0.5), let most = times.percentile(0.99) else {
      return nil
    }
    return .object(["count": .int(times.count), "p50": .int(half), "p99": .int(most)])
  }

  /// A stage of `name`; `name` is nil for the one stage that stands for a hidden inside.
  private func stage(
    _ place: Int,
    _ seen: (StageFigures, StageTally),
    _ name: WatchedName?,
    _ times: DeliveryTimes?,
    _ rates: StageRates?
  ) -> Value {
    let (figures, tally) = seen
    let stage = name?.pipeline.stages[place]
    let subject = stage.flatMap { $0.name == nil ? engine.registry.subject($0.text) : nil }
    return .object([
      "in": .int(figures.taken),
      "out": .int(figures.sent),
      "dropped": .int(figures.dropped),
      "asked": .demand(figures.demand),
      "held": .int(figures.held),
      "most": .int(tally.most),
      "publishers": figures.publishers.map(Value.int),
      "waiting": subject.map { .int($0.waitingInAll) },
      "time": .array(tally.time.map(Value.int)),
      "rates": value(rates),
      "delivery": delivery(times),
      "services": stage.flatMap(services(of:)),
      "last": name.flatMap { last(at: place, of: $0.name, $0.pipeline.mentions) },
    ])
  }

  /// The last values that passed a stage, if they may be shown to whoever reads this.
  private func last(at place: Int, of name: String, _ mentions: [String]) -> Value? {
    guard gate.reads(all: mentions) else { return nil }
    return engine.watch.shown[name]?.last(at: place)
  }

  private func services(of stage: StageDescription) -> Value? {
    let services = stage.services.filter(gate.knows).map(engine.service)
    guard !services.isEmpty else { return nil }
    return .array(
      services.map {
        .object([
          "name": .string($0.name), "workers": .int($0.workers), "waiting": .int($0.waiting),
          "running": .int($0.running),
        ])
      }
    )
  }

  private func value(_ verdict: Verdict, _ lasted: Int64?) -> Value {
    .object([
      "code": .string(verdict.code.rawValue),
      "text": .string(FrameWriter.oneLine(verdict.text)),
      "hint": verdict.hint.isEmpty ? nil : .string(verdict.hint),
      "stage": verdict.stage.map(Value.int),
      "lost": verdict.lost > 0 ? .rounded(verdict.lost, 1) : nil,
      "at": verdict.at.map(Value.int),
      "end": verdict.end.map(Value.string),
      "stream": verdict.stream.map(Value.string),
      "name": verdict.name.map(Value.string),
      "lasted": lasted.map { .int(Int($0 / 1_000_000)) },
    ])
  }

  // MARK: Who reads

  /// The most rows of subscribers that are told.
  private static let mostRows = 50

  private struct Reader {
    let client: Int
    let id: UInt64
    let label: String
    let asked: Int
    /// How many values it was sent and has missed; nil if that may not be shown.
    let values: (sent: Int, missed: Int)?
    let stalled: Int?
    var isUnread = false
    var pipeline: String?
  }

  private func subscribers(of pipeline: Pipeline) -> Value {
    subscribers(
      engine.streams(of: pipeline).map { stream in
        Reader(
          client: stream.client.id,
          id: stream.id,
          label: label(of: stream),
          asked: stream.demand.max.map { Int(clamping: $0) } ?? .max,
          values: (stream.values, stream.missedInAll),
          stalled: stream.stalled.map { Int($0 / 1_000_000) },
          isUnread: stream.isUnread
        )
      }
    )
  }

  private func label(of stream: ClientSubscription) -> String {
    gate.seesServer ? stream.person : "client \(stream.client.id)"
  }

  private func subscribers(_ readers: [Reader]) -> Value {
    let sorted = readers.sorted {
      ($0.stalled ?? -1, $1.client, $1.id) > ($1.stalled ?? -1, $0.client, $0.id)
    }
    return .object([
      "count": .int(readers.count),
      "stalled": .int(readers.count { ($0.stalled ?? 0) >= 1000 }),
      "rows": .array(sorted.prefix(Self.mostRows).map(value)),
    ])
  }

  private func value(_ reader: Reader) -> Value {
    .object([
      "client": .int(reader.client),
      "id": .int(Int(clamping: reader.id)),
      "label": .string(reader.label),
      "asked": .demand(reader.asked),
      "values": reader.values.map { .int($0.sent) },
      "missed": reader.values.map { .int($0.missed) },
      "stalled": reader.stalled.map(Value.int) ?? .null,
      "unread": reader.isUnread ? .bool(true) : nil,
      "of": reader.pipeline.map(Value.string),
    ])
  }

  // MARK: A subject

  private func watched(_ subject: ServerSubject, _ slow: SlowReaders) -> Value {
    let parts = subject.readable
    var readers: [Reader] = []
    var asked = 0
    for part in parts {
      part.forEachOutlet { outlet in
        asked = addDemand(asked, outlet.available)
        if let reader = reader(outlet, at: part) { readers.append(reader) }
      }
    }
    let waiting = subject.waitingInAll
    let stage = Value.object([
      "in": .int(subject.published),
      "out": .int(subject.published),
      "dropped": .int(subject.missed),
      "asked": .demand(subject.isLossless ? min(asked, subject.leastCredit) : asked),
      "held": .int(0),
      "most": .int(0),
      "waiting": .int(waiting),
      "time": .array(engine.watch.time(of: subject).map(Value.int)),
      "rates": value(engine.watch.rates(of: subject)),
      "last": last(at: 0, of: subject.name, [subject.name]),
      "nats": subject.backend.map { sample(of: $0.figures) },
    ])
    return .object([
      "name": .string(subject.name),
      "verdict": value(
        visible(engine.verdict(on: subject, slow), of: subject.name),
        engine.watch.lasted(subject)
      ),
      "stages": .array([stage]),
      "delivery": delivery(engine.watch.times(of: subject)),
      "subscribers": subscribers(readers),
    ])
  }

  private func reader(_ outlet: Outlet, at subject: ServerSubject) -> Reader? {
    let stalled = subject.stalled(outlet).map { Int($0 / 1_000_000) }
    switch engine.owner(of: outlet) {
    case let stream as ClientSubscription:
      let isOwn = stream.name == query.name || stream.name == "-"
      return Reader(
        client: stream.client.id,
        id: stream.id,
        label: label(of: stream),
        asked: outlet.available,
        values: gate.reads(stream) ? (stream.values, stream.missedInAll) : nil,
        stalled: stalled,
        isUnread: outlet.isUnread,
        pipeline: isOwn || !gate.knows(stream.name) ? nil : stream.name
      )
    case let run as Run:
      let isKnown = gate.knows(run.name)
      let values = (run.values, run.misses.values.reduce(0, +))
      return Reader(
        client: 0,
        id: 0,
        label: isKnown ? "run \(run.name)" : "a run",
        asked: outlet.available,
        values: isKnown && gate.seesInside(run.standing) ? values : nil,
        stalled: stalled,
        pipeline: isKnown ? run.name : nil
      )
    default: return nil
    }
  }

  /// The figures of a subject's backend.
  private func sample(of figures: BackendFigures) -> Value {
    .object([
      "state": .string(figures.isLost ? "lost" : figures.isUp ? "up" : "away"),
      "room": figures.room.map(Value.int),
      "used": figures.used.map(Value.int),
      "slowest": figures.slowest.map { slowest in
        .object(["server": .string(slowest.place), "behind": .int(slowest.behind)])
      },
    ])
  }
}
