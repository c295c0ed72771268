internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func list(_ kind: ListKind?) {
    var rows: [String] = []
    switch kind {
    case nil: rows = nameRows { _ in true }
    case .subjects:
      rows = nameRows { if case .subject = $0 { true } else { false } }
    case .pipelines:
      rows = nameRows { if case .pipeline = $0 { true } else { false } }
    case .runs:
      rows = nameRows { if case .run = $0 { true } else { false } }
    case .services: break
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
    let subscriptions = streams.values.sorted { $0.id < $1.id }.map { stream in
      "stream client=\(id) id=\(stream.id) name=\(stream.name) demand=\(stream.demand)"
        + " values=\(stream.values) missed=\(stream.totalMissed)"
    }
    let publications = publications.values.sorted { $0.id < $1.id }.map { publication in
      "publication client=\(id) id=\(publication.id) name=\(publication.subject.name)"
        + " demand=\(publication.demand) values=\(publication.received) held=\(publication.held)"
    }
    let feeds = [feed].compactMap { $0 }.map { feed in
      "feed client=\(id) name=\(feed.subject.name) \(feed.figures)"
        + " waiting=\(feed.isWaiting ? 1 : 0)"
    }
    return subscriptions + publications + feeds
  }

  private func row(isSelf: Bool) -> String {
    var row = "client \(id) peer=\(connection.peer) mode=\(session.isTyped ? "typed" : "framed")"
    if let name = session.name { row += " name=\(name)" }
    row += " streams=\(session.openCount) unsent=\(connection.unsent)"
    return isSelf ? row + " you" : row
  }

  func show(_ name: String) {
    switch engine.registry[name] {
    case .subject(let subject): show(subject)
    case .pipeline(let pipeline): show(pipeline, named: name)
    case .run(let run): show(run)
    case nil: return refuseUnknownName(name)
    }
    session.answer("OK show \(name)")
  }

  private func show(_ subject: ServerSubject) {
    session.row("definition SUBJECT \(subject.name) \(subject.settings.text)")
    session.row(subject.figures)
    if let completion = subject.completion {
      switch completion {
      case .finished: session.row("completed finished")
      case .failure(let failure):
        session.row("completed failed \(failure.code) \(FrameWriter.oneLine(failure.message))")
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
    show(pipeline.stages)
    for client in engine.clients.values.sorted(by: { $0.id < $1.id }) {
      for stream in client.streams.values.sorted(by: { $0.id < $1.id }) where stream.name == name {
        session.row(
          "stream client=\(client.id) id=\(stream.id) demand=\(stream.demand)"
            + " values=\(stream.values) missed=\(stream.totalMissed)"
        )
      }
    }
  }

  private func show(_ run: Run) {
    session.row("definition RUN \(run.name) = \(FrameWriter.oneLine(run.standing.text))")
    show(run.standing.pipeline.stages + [run.standing.lastStage])
    session.row(run.figures)
    if case .failed(let failure) = run.state {
      session.row("failure \(failure.code) \(FrameWriter.oneLine(failure.message))")
    }
  }

  private func show(_ stages: [StageDescription]) {
    for (number, stage) in stages.enumerated() {
      session.row("stage \(number) \(FrameWriter.oneLine(stage.text))")
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
