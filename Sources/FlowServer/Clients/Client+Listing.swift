internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func list(_ kind: ListKind?) {
    var rows: [String] = []
    switch kind {
    case nil: rows = engine.registry.names.compactMap { nameRow($0) }
    case .subjects:
      rows = engine.registry.names.compactMap {
        engine.registry.subject($0) == nil ? nil : nameRow($0)
      }
    case .pipelines:
      rows = engine.registry.names.compactMap {
        engine.registry.subject($0) == nil ? nameRow($0) : nil
      }
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

  private func nameRow(_ name: String) -> String? {
    switch engine.registry[name] {
    case .subject(let subject): "subject \(name) \(subject.settings.text) \(subject.figures)"
    case .pipeline(let pipeline): "pipeline \(name) = \(FrameWriter.oneLine(pipeline.text))"
    case nil: nil
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
    return subscriptions + publications
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
      if outlet.isStarved, subject.isLossless, subject.waitingCount > 0 {
        row += " holds-up=\((engine.now - outlet.starvedSince) / 1_000_000)ms"
      }
      session.row(row)
    }
  }

  private func show(_ pipeline: Pipeline, named name: String) {
    session.row("definition PIPELINE \(name) = \(FrameWriter.oneLine(pipeline.text))")
    for (number, stage) in pipeline.stages.enumerated() {
      session.row("stage \(number) \(FrameWriter.oneLine(stage.text))")
    }
    for client in engine.clients.values.sorted(by: { $0.id < $1.id }) {
      for stream in client.streams.values.sorted(by: { $0.id < $1.id }) where stream.name == name {
        session.row(
          "stream client=\(client.id) id=\(stream.id) demand=\(stream.demand)"
            + " values=\(stream.values) missed=\(stream.totalMissed)"
        )
      }
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
