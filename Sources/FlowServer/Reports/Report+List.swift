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
        return [client.row(gate) + (client.id == reader ? " you" : "")]
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
    var names = engine.registry.names[...]
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
    return switch entry {
    case .subject(let subject):
      "subject \(name) \(settings(of: subject, isRead))"
        + (isRead ? " \(engine.text(of: subject))" : "")
    case .pipeline(let pipeline):
      "pipeline \(name) = \(gate.visible(pipeline.text, of: pipeline.mentions))"
    case .run(let run):
      "run \(name) = \(gate.visible(run.standing.text, of: run.standing.mentions))"
        + (isRead ? " \(run.figures(inside: gate.seesInside(run.standing)))" : "")
    }
  }

  /// The settings, without the value in them for those who may not read it.
  private func settings(of subject: ServerSubject, _ isRead: Bool) -> String {
    var settings = subject.settings
    if case .current = settings.kind, !isRead { settings.kind = .current(Array(Gate.hidden.utf8)) }
    return settings.description
  }

  private func serviceRows(_ pattern: NamePattern?) -> [String] {
    engine.services.sorted.filter { pattern?.fits($0.name) != false && gate.knows($0.name) }
      .map { gate.reads($0.name) ? $0.row : "service \($0.name)" }
  }
}

extension Service {
  /// What LIST tells of it.
  var row: String {
    "service \(name) workers=\(workers.count) demand=\(demand)"
      + " waiting=\(waitingCount) running=\(running) answered=\(answered)"
      + (elsewhere > 0 ? " elsewhere=\(elsewhere)" : "")
  }
}

extension Worker {
  /// What LIST tells of it, and of its calls.
  var rows: [String] {
    let running = running
    let row =
      "worker client=\(client?.id ?? 0) id=\(id) name=\(service.name) demand=\(demand)"
      + " calls=\(given) running=\(running.count)"
    return [row]
      + running.map { number, call in
        "call client=\(client?.id ?? 0) id=\(id).\(number) name=\(service.name)"
          + " demand=\(call.demand) values=\(call.values) held=\(call.held)"
      }
  }
}

extension Client {
  /// What LIST tells of all that it has open, on names that fit.
  fileprivate func streamRows(_ pattern: NamePattern?, _ gate: Gate) -> [String] {
    let isMeant = { (name: String) in pattern?.fits(name) != false && gate.administers(name) }
    let subscriptions = open.subscriptions.filter {
      pattern?.fits($0.name) != false && gate.administers(.subscription($0))
    }.map { stream in
      "\(stream.isTap ? "tap" : "stream") client=\(id) id=\(stream.id) name=\(stream.name) \(stream.figures)"
    }
    let publications = publications.filter { isMeant($0.subject.name) }.map { publication in
      "publication client=\(id) id=\(publication.id) name=\(publication.subject.name)"
        + " demand=\(publication.demand) values=\(publication.received) held=\(publication.held)"
        + (publication.hasEnded ? " ended" : "")
    }
    let feeds = [feed].compactMap { $0 }.filter { isMeant($0.subject.name) }.map { feed in
      "feed client=\(id) name=\(feed.subject.name) \(feed.figures)"
        + " waiting=\(feed.isWaiting ? 1 : 0)"
    }
    let workers = open.workers.filter { isMeant($0.service.name) }.flatMap(\.rows)
    return subscriptions + publications + feeds + workers
  }

  /// What LIST tells of it.
  fileprivate func row(_ gate: Gate) -> String {
    let mode = session.isInteractive ? "typed" : "framed"
    var row = "client \(id) peer=\(connection.peer) mode=\(mode)"
    if let name = session.name { row += " name=\(name)" }
    row += " streams=\(open.all.count(where: gate.administers)) unsent=\(connection.unsent)"
    if let held = heldAccount?.bytes, held > 0 { row += " held=\(held)" }
    return row
  }
}
