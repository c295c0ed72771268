internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

// KILL: one client ends what others have open.
extension Client {
  func kill(_ victim: Victim) {
    switch victim {
    case .client(let number):
      guard let client = engine.clients[number] else { return refuseUnknownClient(number) }
      session.answer("OK kill client \(number)")
      writeAnswers()
      client.endKilled()
    case .stream(let number, let id):
      guard let client = engine.clients[number] else { return refuseUnknownClient(number) }
      guard client.hasStream(id.rawValue) else {
        let text = "client \(number) has no stream \(id); LIST streams lists them"
        return session.refuse("unknown-stream", text)
      }
      session.answer("OK kill stream \(number) \(id)")
      writeAnswers()
      client.endKilled(stream: id.rawValue)
    case .name(let name):
      let entry = engine.registry[name]
      guard entry != nil || engine.services[name] != nil else { return refuseUnknownName(name) }
      var count = 0
      for client in engine.clientsInOrder { count += client.endKilled(name: name) }
      if case .run(let run) = entry, run.isRunning {
        run.kill()
        count += 1
      }
      session.answer("OK kill name \(name) ended=\(count)")
    }
  }

  private func refuseUnknownClient(_ number: Int) {
    session.refuse("unknown-stream", "there is no client \(number); LIST clients lists them")
  }

  // MARK: What is ended

  static let killed = PipelineFailure(code: "killed", message: "an administrator has ended it")

  private func endKilled() {
    // One that does not read its BYE is not waited for.
    guard ending != .closed else { return connection.close() }
    bye(Self.killed.code, Self.killed.message)
  }

  private func hasStream(_ id: UInt64) -> Bool {
    streams[id] != nil || publications[id] != nil || workers[id] != nil
  }

  private func endKilled(stream id: UInt64) {
    streams[id]?.fail(Self.killed.code, Self.killed.message)
    workers[id]?.fail(Self.killed.code, Self.killed.message)
    if let publication = publications[id] {
      tellCancelled(publication, Self.killed.code)
      end(publication, .failure(Publication.lost))
    }
    noteForEndOfTurn()
  }

  /// Ends what this client has open on `name`, and says how much that was.
  private func endKilled(name: String) -> Int {
    if feed?.subject.name == name {
      // The lines that still come must not be run.
      endKilled()
      return 1
    }
    let ids =
      streams.values.filter { $0.name == name }.map(\.id)
      + publications.values.filter { $0.subject.name == name }.map(\.id)
      + workers.values.filter { $0.service.name == name }.map(\.id)
    for id in ids { endKilled(stream: id) }
    return ids.count
  }
}
