internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// Samples, sent four times a second. Counters are totals, so any sample may be skipped.
extension WatchReport {
  /// A sample; `tellsAll` adds a line for each name.
  func sample(tellsAll: Bool) -> Value {
    let slow = SlowReaders(engine)
    return .object([
      "at": .int(Int((engine.now - engine.started) / 1_000_000)),
      "judged": engine.watch.isJudged ? nil : .bool(false),
      "server": gate.seesServer ? .object(Figures.server.members(of: engine)) : nil,
      "unserved": unserved(slow),
      "all": tellsAll ? all(slow) : nil,
      "watched": watched(slow),
    ])
  }

  private func all(_ slow: SlowReaders) -> Value {
    let rows = names.told.compactMap { name in
      row(name, slow).map { JSONObject.Member(key: name, value: $0) }
    }
    return .object(JSONObject(members: rows))
  }

  /// The verdict, whom it blames, states of the stages, counters and rates.
  private func row(_ name: String, _ slow: SlowReaders) -> Value? {
    let verdict: Verdict
    let who: String
    let counts: [Int]
    let rates: StageRates?
    if let subject = engine.registry.subject(name) {
      verdict = visible(engine.verdict(on: subject, slow), of: name)
      who = verdict.end ?? verdict.name ?? ""
      let readers = subject.readable.reduce(0) { $0 + $1.outletCount }
      counts = [subject.published, subject.missed, readers, subject.published]
      rates = engine.watch.subjects[name]?.rates
    } else if let seen = engine.watch.names[name] {
      verdict = visible(seen.verdict, of: name)
      who = verdict.who(seen.pipeline.stages)
      let figures = told(seen.figures, of: name)
      let lost = figures.reduce(0) { $0 + $1.dropped }
      counts = [
        figures.last?.sent ?? 0, lost, seen.counters.count, figures.first?.taken ?? 0,
      ]
      rates = told(seen.rates, of: name).flatMap(StageRates.init(ofAll:))
    } else {
      return nil
    }
    let texts = [verdict.code.rawValue, who, verdict.states].map(Value.string)
    return .array(texts + counts.map(Value.int) + [value(rates)])
  }

  /// The figures of all stages, or of one stage if the inside of `name` is hidden.
  ///
  /// The latter has only what a reader of the name knows: its output and demand.
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

  /// Values per second in, out and dropped; null if unknown.
  private func value(_ rates: StageRates?) -> Value {
    guard let rates else { return .null }
    return .array([.rounded(rates.came), .rounded(rates.went), .rounded(rates.lost)])
  }

  // MARK: The watched name

  private func watched(_ slow: SlowReaders) -> Value? {
    guard gate.reads(query.name) else { return nil }
    if let subject = engine.registry.subject(query.name) { return watched(subject, slow) }
    guard let seen = engine.watch.names[query.name] else { return nil }
    let standing = engine.registry.run(query.name)
    let more: JSONMembers =
      if let standing {
        Figures.runs.members(of: standing, inside: gate.seesInside(standing.standing))
      } else {
        ["subscribers": subscribers(of: seen.pipeline)]
      }
    return .object((query.stream.isEmpty ? all(of: seen) : alone(of: seen, slow)) + more)
  }

  private func all(of seen: WatchedName) -> JSONMembers {
    let sightings = seen.sightings
    return [
      "name": .string(query.name),
      "verdict": value(visible(seen.verdict, of: query.name), seen.lasting),
      "stages": stages(of: seen, seen.figures, sightings.stages, seen.rates),
      "delivery": gate.seesInside(query.name) ? delivery(sightings.times) : nil,
    ]
  }

  /// The one run that was requested.
  private func alone(of seen: WatchedName, _ slow: SlowReaders) -> JSONMembers {
    let found = engine.watch.run(of: query.stream, in: seen, slow)
    let run = found?.run
    let figures = run?.figures ?? seen.pipeline.stages.map { _ in StageFigures() }
    let missing = Verdict.missing(query.stream, of: query.name, stages: figures.count)
    return [
      "name": .string(query.name),
      "stream": .string(query.stream),
      "verdict": value(visible(found?.verdict ?? missing, of: query.name), nil),
      "stages": stages(of: seen, figures, run?.sightings.stages, run?.rates),
      "delivery": gate.seesInside(query.name) ? delivery(run?.sightings.times) : nil,
    ]
  }

  /// The median and a high percentile, in milliseconds.
  private func delivery(_ times: DeliveryTimes?) -> Value? {
    guard let times, let half = times.percentile(0.5), let most = times.percentile(0.99) else {
      return nil
    }
    return .object([
      "count": .int(times.count), "p50": .rounded(Double(half) / 1e3),
      "p99": .rounded(Double(most) / 1e3),
    ])
  }

  /// The stages of a name, or one stage instead of a hidden inside.
  private func stages(
    of seen: WatchedName,
    _ figures: [StageFigures],
    _ tallies: [StageTally]?,
    _ rates: [StageRates]?
  ) -> Value {
    let rates = told(rates, of: seen.name)
    guard gate.seesInside(seen.name) else {
      return .array(
        told(figures, of: seen.name).map { figures in
          stage(MeasuredStage(figures: figures), ["rates": value(rates?.first)])
        }
      )
    }
    return .array(
      seen.pipeline.stages.enumerated().map { place, description in
        let subject = description.name == nil ? engine.registry.subject(description.text) : nil
        return stage(
          MeasuredStage(stage: description, figures: figures[place], tally: tallies?[place]),
          [
            "waiting": subject.map { .int($0.waitingInAll) },
            "rates": value(rates?[place]),
            "delivery": delivery(tallies?[place].times),
            "services": services(of: description),
            "last": last(at: place, of: seen.name, seen.pipeline.mentions),
          ]
        )
      }
    )
  }

  private func stage(_ measured: MeasuredStage, _ more: JSONMembers) -> Value {
    let tally = measured.tally ?? StageTally()
    let looks: JSONMembers = [
      "most": .int(tally.most), "time": .array(tally.time.map(Value.int)),
    ]
    return .object(Figures.stages.members(of: measured) + looks + more)
  }

  /// The last values of a stage, if the reader may see them.
  private func last(at place: Int, of name: String, _ mentions: [String]) -> Value? {
    guard gate.reads(all: mentions) else { return nil }
    return engine.watch.shown[name]?.last(at: place)
  }

  private func services(of stage: StageDescription) -> Value? {
    let names = stage.services.filter(gate.knows)
    guard !names.isEmpty else { return nil }
    return .array(
      names.map { name in
        let title: JSONMembers = ["name": .string(name)]
        return .object(title + Figures.services.members(of: engine.service(name)))
      }
    )
  }

  private func value(_ verdict: Verdict, _ lasting: LastingVerdict?) -> Value {
    let lasted = lasting?.lasted(at: engine.now)
    return .object([
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

  private func watched(_ subject: ServerSubject, _ slow: SlowReaders) -> Value {
    let (asked, readers) = subscribers(of: subject)
    let seen = engine.watch.subjects[subject.name]
    let more: JSONMembers = [
      "asked": .demand(subject.isLossless ? min(asked, subject.leastCredit) : asked),
      "held": .int(0),
      "most": .int(0),
      "waiting": .int(subject.waitingInAll),
      "time": .array((seen?.time ?? [0, 0, 0]).map(Value.int)),
      "rates": value(seen?.rates),
      "last": last(at: 0, of: subject.name, [subject.name]),
      "nats": subject.backend.map { sample(of: $0.figures) },
    ]
    let stage = Figures.subjects.members(of: engine.figures(of: subject)) + more
    let verdict = visible(engine.verdict(on: subject, slow), of: subject.name)
    return .object([
      "name": .string(subject.name),
      "verdict": value(verdict, seen?.lasting),
      "stages": .array([.object(stage)]),
      "delivery": delivery(seen?.arrivals.times),
      "subscribers": readers,
    ])
  }

  private func sample(of figures: BackendFigures) -> Value {
    let state = figures.isLost ? "lost" : figures.isUp ? "up" : "away"
    let beginning: JSONMembers = ["state": .string(state)]
    let slowest: JSONMembers = [
      "slowest": figures.slowest.map { slowest in
        .object(["server": .string(slowest.place), "behind": .int(slowest.behind)])
      }
    ]
    return .object(beginning + Figures.backendRoom.members(of: figures) + slowest)
  }
}
