internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

// KILL: a client ends what others have open.
extension Client {
  func kill(_ victim: Victim) throws(DefinitionError) {
    switch victim {
    case .client(let number):
      guard let client = engine.clients[number] else { throw unknownClient(number) }
      guard client.isAdministered(by: gate) else {
        let text = "this token may not end all that client \(number) has open"
        throw DefinitionError(.denied, text)
      }
      answer(.kill(victim))
      client.endKilled()
    case .stream(let number, let id):
      guard let client = engine.clients[number] else { throw unknownClient(number) }
      guard client.open[id.rawValue].map(gate.administers) == true else {
        let text = "client \(number) has no stream \(id); LIST streams lists them"
        throw DefinitionError(.unknownStream, text)
      }
      answer(.kill(victim))
      client.endKilled(stream: id.rawValue)
    case .name(let name):
      let entry = engine.registry[name]
      guard entry != nil || engine.services[name] != nil else { throw unknownName(name) }
      var count = endAll(on: name)
      if case .run(let run) = entry, run.isRunning {
        run.kill()
        count += 1
      }
      answer(.kill(victim, ended: count))
    }
  }

  private func unknownClient(_ number: Int) -> DefinitionError {
    let text = "there is no client \(number); LIST clients lists them"
    return DefinitionError(.unknownStream, text)
  }

  /// Whether `gate` may administer every name that the client has open.
  private func isAdministered(by gate: Gate) -> Bool {
    open.all.allSatisfy(gate.administers)
      && (publications.map(\.subject.name) + [feed?.subject.name].compactMap(\.self))
        .allSatisfy(gate.administers)
  }

  static let killed = PipelineFailure(.killed, "ended by an administrator")

  private func endKilled() {
    // A client that does not read its BYE is closed at once.
    guard ending != .closed else { return connection.close() }
    bye(.killed, Self.killed.message)
  }

  private func endKilled(stream id: UInt64) {
    switch open[id] {
    case .subscription(let stream): stream.fail(.killed, Self.killed.message)
    case .service(let worker): worker.fail(.killed, Self.killed.message)
    case .publication(let publication):
      sendCancel(publication, .killed)
      end(publication, .failure(Publication.lost))
    case nil: break
    }
    scheduleEndOfTurn()
  }

  /// Ends what all clients have open on `name`, many streams in several turns; returns how many.
  private func endAll(on name: String) -> Int {
    var feeds = 0
    var streams: [(client: Client, id: UInt64)] = []
    for client in engine.clients.inOrder {
      guard client.feed?.subject.name != name else {
        // Lines that still come must not run as commands.
        client.endKilled()
        feeds += 1
        continue
      }
      for id in client.open.ids(on: name) { streams.append((client, id)) }
    }
    var rest = streams[...]
    engine.timeSlice.inTurns {
      guard let (client, id) = rest.popFirst() else { return false }
      // It may have ended meanwhile.
      if client.open[id]?.name == name { client.endKilled(stream: id) }
      return !rest.isEmpty
    }
    return feeds + streams.count
  }
}
