internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire
internal import Spelling

// LIST: a row for each of what there is.
extension Report {
  /// All rows; with a pattern, only of what is called so, and of streams on what is.
  func list(_ kind: ListKind?, like pattern: NamePattern?) -> Rows {
    switch kind {
    case nil: Self.chain(nameRows(pattern) { _ in true }, Self.each(of: serviceRows(pattern)))
    case .subjects: nameRows(pattern) { if case .subject = $0 { true } else { false } }
    case .pipelines: nameRows(pattern) { if case .pipeline = $0 { true } else { false } }
    case .runs: nameRows(pattern) { if case .run = $0 { true } else { false } }
    case .services: Self.each(of: serviceRows(pattern))
    case .streams: clientRows { $0.streamRows(pattern, gate) }
    case .clients:
      clientRows { client in
        guard pattern?.fits(client.session.name ?? "") != false else { return [] }
        return ["\(client.row(gate, isReader: client.id == reader))"]
      }
    }
  }

  /// The rows of the clients there are now, as long as they are there.
  private func clientRows(_ rowsOf: @escaping (Client) -> [String]) -> Rows {
    var numbers = engine.clients.inOrder.map(\.id)[...]
    var rows: [String] = []
    return {
      while rows.isEmpty {
        guard let number = numbers.popFirst() else { return nil }
        guard let client = engine.clients[number] else { continue }
        rows = rowsOf(client).reversed()
      }
      return rows.popLast()
    }
  }

  private func nameRows(
    _ pattern: NamePattern?,
    _ isListed: @escaping (Registry.Entry) -> Bool
  ) -> Rows {
    let isOne = pattern?.isOpen == false
    var names = (isOne ? pattern.map { [$0.text] } ?? [] : engine.registry.names)[...]
    return {
      while let name = names.popFirst() {
        guard pattern?.fits(name) != false, gate.knows(name), let entry = engine.registry[name],
          isListed(entry)
        else { continue }
        return row(of: entry, named: name)
      }
      return nil
    }
  }

  private func row(of entry: Registry.Entry, named name: String) -> String {
    let isRead = gate.reads(name)
    let row: Row
    switch entry {
    case .subject(let subject):
      let figures: RowFields = isRead ? engine.fields(of: subject) : [:]
      let kind = kind(of: subject, isRead)
      row = Row(.subject, name, text: "\(kind)", fields: subject.settings.fields + figures)
    case .pipeline(let pipeline):
      row = Row(.pipeline, name, text: gate.visible(pipeline.text, of: pipeline.mentions))
    case .run(let run):
      let text = gate.visible(run.standing.text, of: run.standing.mentions)
      let figures: RowFields =
        isRead ? Figures.runs.fields(of: run, inside: gate.seesInside(run.standing)) : [:]
      row = Row(.run, name, text: text, fields: figures)
    }
    return row.description
  }

  /// The kind of subject, without the value in it for those who may not read it.
  private func kind(of subject: ServerSubject, _ isRead: Bool) -> SubjectSettings.Kind {
    if case .current = subject.settings.kind, !isRead { return .current(Array(Gate.hidden.utf8)) }
    return subject.settings.kind
  }

  private func serviceRows(_ pattern: NamePattern?) -> [String] {
    engine.services.sorted.filter { pattern?.fits($0.name) != false && gate.knows($0.name) }
      .map { gate.reads($0.name) ? $0.row : "\(Row(.service, $0.name))" }
  }
}

extension Service {
  /// What LIST tells of it.
  var row: String {
    "\(Row(.service, name, fields: Figures.services.fields(of: self)))"
  }
}

extension Worker {
  /// What LIST tells of it, and of its calls.
  var rows: [String] {
    let running = running
    let client = client?.id ?? 0
    let row = Row(
      .worker,
      fields: [
        "client": client, "id": id, "name": service.name, "demand": demand, "calls": given,
        "running": running.count,
      ]
    )
    let calls = running.map { number, call in
      Row(
        .call,
        fields: [
          "client": client, "id": "\(id).\(number)", "name": service.name, "demand": call.demand,
          "values": call.values, "held": call.held,
        ]
      )
    }
    return ([row] + calls).map(\.description)
  }
}

extension Client {
  /// What LIST tells of all that it has open, on names that fit.
  fileprivate func streamRows(_ pattern: NamePattern?, _ gate: Gate) -> [String] {
    let isMeant = { (name: String) in pattern?.fits(name) != false && gate.administers(name) }
    let subscriptions = open.subscriptions.filter {
      pattern?.fits($0.name) != false && gate.administers(.subscription($0))
    }.map { stream in
      let place: RowFields = ["client": id, "id": stream.id, "name": stream.name]
      return Row(stream.isTap ? .tap : .stream, fields: place + stream.fields)
    }
    let publications = publications.filter { isMeant($0.subject.name) }.map { publication in
      Row(
        .publication,
        fields: [
          "client": id, "id": publication.id, "name": publication.subject.name,
          "demand": publication.demand, "values": publication.received, "held": publication.held,
          "ended": publication.hasEnded,
        ]
      )
    }
    let feeds = [feed].compactMap { $0 }.filter { isMeant($0.subject.name) }.map { feed in
      let place: RowFields = ["client": id, "name": feed.subject.name]
      let waiting: RowFields = ["waiting": feed.isWaiting ? 1 : 0]
      return Row(.feed, fields: place + feed.figures.fields + waiting)
    }
    let workers = open.workers.filter { isMeant($0.service.name) }.flatMap(\.rows)
    return (subscriptions + publications + feeds).map(\.description) + workers
  }

  /// What LIST tells of it.
  fileprivate func row(_ gate: Gate, isReader: Bool) -> Row {
    let mode = session.isInteractive ? "typed" : "framed"
    let streams = open.all.count(where: gate.administers)
    let held = heldAccount.flatMap(\.bytes.unlessZero)
    return Row(
      .client,
      "\(id)",
      fields: [
        "peer": connection.peer, "mode": mode, "name": session.name, "streams": streams,
        "unsent": connection.unsent, "held": held, "you": isReader,
      ]
    )
  }
}
