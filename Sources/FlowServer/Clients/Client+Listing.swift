internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func list(_ kind: ListKind?) {
    let rows: () -> String? =
      switch kind {
      case nil:
        Self.chain(nameRows { _ in true }, Self.each(of: serviceRows))
      case .subjects:
        nameRows { if case .subject = $0 { true } else { false } }
      case .pipelines:
        nameRows { if case .pipeline = $0 { true } else { false } }
      case .runs:
        nameRows { if case .run = $0 { true } else { false } }
      case .services: Self.each(of: serviceRows)
      case .streams, .clients: clientRows(kind)
      }
    answer(Pages(tag: session.tag, next: rows) { "OK list \($0)" })
  }

  /// The rows of the clients there are now, as long as they are there.
  private func clientRows(_ kind: ListKind?) -> () -> String? {
    var numbers = engine.clients.keys.sorted()[...]
    var rows: [String] = []
    return { [unowned self] in
      while rows.isEmpty {
        guard let number = numbers.popFirst() else { return nil }
        guard let client = engine.clients[number] else { continue }
        rows =
          kind == .streams ? client.streamRows.reversed() : [client.row(isSelf: client === self)]
      }
      return rows.popLast()
    }
  }

  private func nameRows(_ isListed: @escaping (Registry.Entry) -> Bool) -> () -> String? {
    var names = engine.registry.names[...]
    return { [unowned self] in
      while let name = names.popFirst() {
        guard session.access.shows(name), let entry = engine.registry[name], isListed(entry) else {
          continue
        }
        return row(of: entry, named: name)
      }
      return nil
    }
  }

  private static func each(of rows: [String]) -> () -> String? {
    var rows = rows[...]
    return { rows.popFirst() }
  }

  /// The rows of `first`, then those of `second`.
  private static func chain(
    _ first: @escaping () -> String?,
    _ second: @escaping () -> String?
  ) -> () -> String? {
    { first() ?? second() }
  }

  private func row(of entry: Registry.Entry, named name: String) -> String {
    switch entry {
    case .subject(let subject): "subject \(name) \(settings(of: subject)) \(subject.figures)"
    case .pipeline(let pipeline):
      "pipeline \(name) = \(visible(pipeline.text, of: pipeline.mentions))"
    case .run(let run):
      "run \(name) = \(visible(run.standing.text, of: run.mentions)) \(run.figures)"
    }
  }

  /// The settings, without the value in them for those who may not read it.
  private func settings(of subject: ServerSubject) -> String {
    var settings = subject.settings
    if case .current = settings.kind, !session.access.allows(.subscribe, subject.name) {
      settings.kind = .current(Array(Self.hidden.utf8))
    }
    return settings.text
  }

  private var streamRows: [String] {
    let subscriptions = open.subscriptions.map { stream in
      "stream client=\(id) id=\(stream.id) name=\(stream.name) \(stream.figures)"
    }
    let publications = (open.publications + endedPublications).map { publication in
      "publication client=\(id) id=\(publication.id) name=\(publication.subject.name)"
        + " demand=\(publication.demand) values=\(publication.received) held=\(publication.held)"
        + (publication.hasEnded ? " ended" : "")
    }
    let feeds = [feed].compactMap { $0 }.map { feed in
      "feed client=\(id) name=\(feed.subject.name) \(feed.figures)"
        + " waiting=\(feed.isWaiting ? 1 : 0)"
    }
    let workers = open.workers.flatMap(workerRows)
    return subscriptions + publications + feeds + workers
  }

  private var serviceRows: [String] {
    engine.services.sorted.filter { session.access.shows($0.name) }.map(row)
  }

  private func row(_ service: Service) -> String {
    "service \(service.name) workers=\(service.workers.count) demand=\(service.demand)"
      + " waiting=\(service.waitingCount) running=\(service.running) answered=\(service.answered)"
  }

  private func workerRows(_ worker: Worker) -> [String] {
    let running = worker.running
    let row =
      "worker client=\(worker.client?.id ?? 0) id=\(worker.id) name=\(worker.service.name) demand=\(worker.demand)"
      + " calls=\(worker.given) running=\(running.count)"
    return [row]
      + running.map { number, call in
        "call client=\(worker.client?.id ?? 0) id=\(worker.id).\(number) name=\(worker.service.name)"
          + " demand=\(call.demand) values=\(call.values) held=\(call.held)"
      }
  }

  private func row(isSelf: Bool) -> String {
    var row = "client \(id) peer=\(connection.peer) mode=\(session.isTyped ? "typed" : "framed")"
    if let name = session.name { row += " name=\(name)" }
    row += " streams=\(open.count) unsent=\(connection.unsent)"
    return isSelf ? row + " you" : row
  }

  func show(_ name: String) throws(DefinitionError) {
    let service = engine.services[name]
    var rows: [String] = []
    var more: () -> String? = { nil }
    switch engine.registry[name] {
    case .subject(let subject):
      rows = showing(subject)
      more = subscriptionRows(subject)
    case .pipeline(let pipeline):
      rows = showing(pipeline, named: name)
      more = streamRows(of: pipeline)
    case .run(let run): rows = showing(run)
    case nil where service == nil: throw unknownName(name)
    case nil: break
    }
    let ofService = service.map { [row($0)] + $0.workers.flatMap(workerRows) } ?? []
    let all = Self.chain(Self.chain(Self.each(of: rows), more), Self.each(of: ofService))
    answer(Pages(tag: session.tag, next: all) { _ in "OK show \(name)" })
  }

  private func showing(_ subject: ServerSubject) -> [String] {
    var rows = ["definition SUBJECT \(subject.name) \(subject.settings.text)", subject.figures]
    switch subject.completion {
    case nil: break
    case .finished: rows.append("completed finished")
    case .failure(let failure): rows.append("completed failed \(text(of: failure, [subject.name]))")
    }
    return rows
  }

  private func subscriptionRows(_ subject: ServerSubject) -> () -> String? {
    var place = 0
    return { [unowned self] in
      while place < (unsafe subject.outlets.count) {
        defer { place += 1 }
        guard let outlet = unsafe subject.outlets[place]?.takeUnretainedValue() else { continue }
        let demand = outlet.available == .max ? "max" : String(outlet.available)
        let owner = outlet.run.map { session.access.shows($0) ? "run=\($0)" : "run=\(Self.hidden)" }
        var row = "subscription \(owner ?? outlet.owner) demand=\(demand)"
        if let stalled = subject.stalled(outlet) { row += " holds-up=\(stalled / 1_000_000)ms" }
        return row
      }
      return nil
    }
  }

  private func showing(_ pipeline: Pipeline, named name: String) -> [String] {
    let names = pipeline.mentions
    let streams = engine.streams(of: pipeline)
    let figures = pipeline.figures(of: streams.compactMap(\.running?.counters))
    return ["definition PIPELINE \(name) = \(visible(pipeline.text, of: names))"]
      + showing(pipeline, figures, names)
  }

  private func streamRows(of pipeline: Pipeline) -> () -> String? {
    var ids = engine.streams(of: pipeline).map { (client: $0.client.id, id: $0.id) }
      .sorted { ($0.client, $0.id) < ($1.client, $1.id) }[...]
    var isOver = false
    return { [unowned self] in
      while let (client, id) = ids.popFirst() {
        guard case .subscription(let stream)? = engine.clients[client]?.open[id] else { continue }
        return "stream \(stream.label) \(stream.figures)"
      }
      guard !isOver, let (failure, time) = pipeline.history.lastFailure else { return nil }
      isOver = true
      let ago = (engine.now - time) / 1_000_000
      let text =
        failure.message.isEmpty ? "" : " \(visible(failure.message, of: pipeline.mentions))"
      return "failure \(failure.code) ago=\(ago)ms\(text)"
    }
  }

  private func showing(_ run: Run) -> [String] {
    let names = run.mentions
    let pipeline = run.standing.pipeline
    var rows = ["definition RUN \(run.name) = \(visible(run.standing.text, of: names))"]
    rows += showing(pipeline, pipeline.figures(of: [run.counters]), names)
    rows.append(
      "stage \(pipeline.stages.count) \(visible(run.standing.lastStage.text, of: names))"
    )
    rows.append(run.figures)
    if case .failed(let failure) = run.state {
      rows.append("failure \(text(of: failure, names))")
    }
    return rows
  }

  /// The stages of a pipeline; their texts tell of `names`.
  private func showing(
    _ pipeline: Pipeline,
    _ figures: [StageFigures],
    _ names: [String]
  ) -> [String] {
    let readsAll = reads(names)
    return zip(pipeline.stages, figures).enumerated().map { number, stage in
      "stage \(number) \(readsAll ? stage.0.text : Self.hidden) \(stage.1.text)"
    }
  }

  /// A failure's code and its text, if there is one, which may show values of `names`.
  private func text(of failure: PipelineFailure, _ names: [String]) -> String {
    failure.message.isEmpty
      ? failure.code : "\(failure.code) \(visible(failure.message, of: names))"
  }

  func help(_ word: String?) throws(DefinitionError) {
    guard let rows = Help.rows(for: word) else {
      let meant = Help.nearestTopic(to: word ?? "")
      let advice = meant.map { "did you mean \($0)?" } ?? "HELP alone lists the topics"
      throw DefinitionError(
        "usage",
        "there is no help on \(FrameWriter.oneLine(word ?? "")); \(advice)"
      )
    }
    for row in rows { session.row(row) }
    session.answer("OK help\(word.map { " \($0)" } ?? "")")
  }
}

extension ServerSubject {
  /// The live figures, as rows tell them.
  var figures: String {
    "subscriptions=\(outletCount) publications=\(publications.count) published=\(published)"
      + " delivered=\(delivered) missed=\(missed) waiting=\(waitingCount)"
  }
}

extension Stream {
  /// The live figures, as rows tell them.
  var figures: String {
    let text = "demand=\(demand) values=\(values) missed=\(missedInAll)"
    return stalled.map { text + " stalled=\($0 / 1_000_000)ms" } ?? text
  }
}

extension StageFigures {
  /// The figures, as rows tell them; what a stage seldom has only where it has some.
  fileprivate var text: String {
    var text = "in=\(taken)"
    if made > 0 { text += " made=\(made)" }
    text += " out=\(sent) dropped=\(dropped) held=\(held) consumed=\(consumed)"
    if left > 0 { text += " left=\(left)" }
    if let publishers { text += " publishers=\(publishers)" }
    return text + " demand=\(demand == .max ? "max" : "\(demand)")"
  }
}

extension Run {
  /// The live figures, as rows tell them.
  var figures: String {
    let state =
      switch state {
      case .running: "running"
      case .finished: "finished"
      case .failed: "failed"
      }
    let missed = misses.values.reduce(0, +)
    return "state=\(state) values=\(values) missed=\(missed) held=\(held) demand=\(demand)"
  }
}
