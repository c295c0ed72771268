internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func list(_ kind: ListKind?) {
    var rows: [String] = []
    switch kind {
    case nil: rows = nameRows { _ in true } + serviceRows
    case .subjects:
      rows = nameRows { if case .subject = $0 { true } else { false } }
    case .pipelines:
      rows = nameRows { if case .pipeline = $0 { true } else { false } }
    case .runs:
      rows = nameRows { if case .run = $0 { true } else { false } }
    case .services: rows = serviceRows
    case .streams:
      for client in engine.clients.values.sorted(by: { $0.id < $1.id }) {
        rows += client.streamRows
      }
    case .clients:
      for client in engine.clients.values.sorted(by: { $0.id < $1.id }) {
        rows.append(client.row(isSelf: client === self))
      }
    }
    for row in rows { session.row(row) }
    session.answer("OK list \(rows.count)")
  }

  private func nameRows(_ isListed: (Registry.Entry) -> Bool) -> [String] {
    engine.registry.names.filter(session.access.shows).compactMap { name in
      engine.registry[name].flatMap { isListed($0) ? row(of: $0, named: name) : nil }
    }
  }

  private func row(of entry: Registry.Entry, named name: String) -> String {
    switch entry {
    case .subject(let subject): "subject \(name) \(subject.settings.text) \(subject.figures)"
    case .pipeline(let pipeline): "pipeline \(name) = \(FrameWriter.oneLine(pipeline.text))"
    case .run(let run):
      "run \(name) = \(FrameWriter.oneLine(run.standing.text)) \(run.figures)"
    }
  }

  private var streamRows: [String] {
    let subscriptions = streams.values.map { stream in
      "stream client=\(id) id=\(stream.id) name=\(stream.name) \(stream.figures)"
    }
    let publications = (publications.values + endedPublications).map { publication in
      "publication client=\(id) id=\(publication.id) name=\(publication.subject.name)"
        + " demand=\(publication.demand) values=\(publication.received) held=\(publication.held)"
        + (publication.hasEnded ? " ended" : "")
    }
    let feeds = [feed].compactMap { $0 }.map { feed in
      "feed client=\(id) name=\(feed.subject.name) \(feed.figures)"
        + " waiting=\(feed.isWaiting ? 1 : 0)"
    }
    let workers = workers.values.flatMap(workerRows)
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
    row += " streams=\(session.openCount) unsent=\(connection.unsent)"
    return isSelf ? row + " you" : row
  }

  func show(_ name: String) {
    let service = engine.services[name]
    switch engine.registry[name] {
    case .subject(let subject): show(subject)
    case .pipeline(let pipeline): show(pipeline, named: name)
    case .run(let run): show(run)
    case nil where service == nil: return refuseUnknownName(name)
    case nil: break
    }
    if let service { show(service) }
    session.answer("OK show \(name)")
  }

  private func show(_ service: Service) {
    session.row(row(service))
    for worker in service.workers {
      for row in workerRows(worker) { session.row(row) }
    }
  }

  private func show(_ subject: ServerSubject) {
    session.row("definition SUBJECT \(subject.name) \(subject.settings.text)")
    session.row(subject.figures)
    if let completion = subject.completion {
      switch completion {
      case .finished: session.row("completed finished")
      case .failure(let failure):
        session.row("completed failed \(failure.oneLine)")
      }
    }
    subject.forEachOutlet { outlet in
      let demand = outlet.available == .max ? "max" : String(outlet.available)
      var row = "subscription \(outlet.owner) demand=\(demand)"
      if let stalled = subject.stalled(outlet) { row += " holds-up=\(stalled / 1_000_000)ms" }
      session.row(row)
    }
  }

  private func show(_ pipeline: Pipeline, named name: String) {
    session.row("definition PIPELINE \(name) = \(FrameWriter.oneLine(pipeline.text))")
    let streams = engine.streams(of: pipeline)
    show(pipeline.stages, pipeline.figures(of: streams.compactMap(\.running?.counters)))
    for stream in streams.sorted(by: { ($0.client.id, $0.id) < ($1.client.id, $1.id) }) {
      session.row("stream \(stream.label) \(stream.figures)")
    }
    if let (failure, time) = pipeline.history.lastFailure {
      let ago = (engine.now - time) / 1_000_000
      let text = failure.message.isEmpty ? "" : " \(FrameWriter.oneLine(failure.message))"
      session.row("failure \(failure.code) ago=\(ago)ms\(text)")
    }
  }

  private func show(_ run: Run) {
    session.row("definition RUN \(run.name) = \(FrameWriter.oneLine(run.standing.text))")
    let pipeline = run.standing.pipeline
    show(pipeline.stages, pipeline.figures(of: [run.counters]))
    session.row(
      "stage \(pipeline.stages.count) \(FrameWriter.oneLine(run.standing.lastStage.text))"
    )
    session.row(run.figures)
    if case .failed(let failure) = run.state {
      session.row("failure \(failure.oneLine)")
    }
  }

  private func show(_ stages: [StageDescription], _ figures: [StageFigures]) {
    for (number, (stage, figures)) in zip(stages, figures).enumerated() {
      session.row("stage \(number) \(FrameWriter.oneLine(stage.text)) \(figures.text)")
    }
  }

  func help(_ word: String?) {
    guard let rows = Help.rows(for: word) else {
      let meant = Help.nearestTopic(to: word ?? "")
      let advice = meant.map { "did you mean \($0)?" } ?? "HELP alone lists the topics"
      return session.refuse(
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
