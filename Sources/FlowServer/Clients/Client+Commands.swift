internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  func perform(_ command: TaggedCommand, _ line: UnsafeRawBufferPointer) {
    session.begin(tag: command.tag)
    do throws(DefinitionError) {
      try authorize(command.command)
      try run(command.command)
    } catch {
      refuse(error.code, error.message, isSignal: command.command.isSignal)
      if let place = error.place {
        // Shows a person where the mistake is.
        for text in unsafe place.drawing(in: String(decoding: line, as: UTF8.self)) { hint(text) }
      }
      skipInput(behind: command.command.verb)
    }
  }

  /// Throws if the command may not run: before AUTH, while draining, or without the right.
  func authorize(_ command: Command) throws(DefinitionError) {
    let access = session.access
    guard access.isGranted || !command.verb.traits.token else {
      throw DefinitionError(.denied, Access.first)
    }
    if session.isDraining, command.verb.traits.opens { throw .draining }
    guard access.isRestricted else { return }
    for right in command.rights { try access.check(right) }
  }

  private func run(_ command: Command) throws(DefinitionError) {
    switch command {
    case .hello(let version, let ping, let name): try greet(version, ping, name)
    case .auth(let token): tryToken(token)
    case .help(let word): try help(word)
    case .ping(let text): pong(text)
    case .quit(let now): quit(now: now)
    case .subject(let name, let settings): try define(name, settings)
    case .pipeline(let name, let expression): try define(name, expression)
    case .run(let name, let expression, let restart, let failed):
      try run(name, expression, restart: restart, failed: failed)
    case .delete(let name, nil): try delete(name)
    case .delete(let name, let durable?): try delete(durable: durable, of: name)
    case .list(let kind, let pattern): try list(kind, like: pattern)
    case .show(let name): try show(name)
    case .explain(let expression): try explain(expression)
    case .stats(let name): try stats(name)
    case .watch(let name, let stream, let filter, let known):
      try watch(name, WatchQuery(name, stream, filter), known: known)
    case .kill(let victim): try kill(victim)
    case .send(let name, let value): try send(value, to: name)
    case .subscribe(let expression, let demand, let id, let window, nil):
      try subscribe(expression, id, demand, window: window)
    case .subscribe(let expression, let demand, let id, let window, let durable?):
      try subscribe(durable: durable, expression, id, demand, window: window)
    case .take(let expression, let count, let id, let within):
      try subscribe(expression, id, .max(count), take: Int(clamping: count), within: within)
    case .tail(let expression): try tail(expression)
    case .tap(let name, let stage, let demand, let id): try tap(name, stage: stage, id, demand)
    case .publish(let name, let id, let grant, let over, let owner):
      try publish(name, id, grant: grant, over: over, owner: owner)
    case .feed(let name): try feed(name)
    case .serve(let name, let demand, let id): try serve(name, id, demand)
    case .request(.stream(let id), _) where id.isCall: try refuseRequest(call: id)
    case .request(let target, let count): try request(target, count)
    case .cancel(.stream(let id)) where id.isCall: try refuseCancel(call: id)
    case .cancel(let target): try cancel(target)
    case .done(let target): try end(target, failure: nil)
    case .fail(let target, let code, let text):
      try end(target, failure: PipelineFailure(code: code, message: text))
    }
  }

  /// Skips the input that follows a refused command.
  func skipInput(behind verb: Verb) {
    switch verb.traits.then {
    case .commands: break
    case .values: skipLines()
    case .nothing: endAfterRefusedTail()
    }
  }
}

extension Command {
  /// The rights that the command needs.
  ///
  /// Names in an expression are checked when they are looked up.
  fileprivate var rights: [Right] {
    switch self {
    case .hello, .auth, .help, .ping, .quit: []
    // They concern the client's own streams.
    case .request, .cancel, .done(.stream), .fail(.stream, _, _): []
    case .subject(let name, _), .delete(let name, _): [.define(name)]
    case .pipeline(let name, _): [.define(name), .subscribeToAny]
    case .run(let name, _, _, _): [.define(name), .subscribeToAny, .sendToAny]
    case .explain, .subscribe, .take, .tail: [.subscribeToAny]
    case .list(.streams, _), .list(.clients, _): [.any(.administer, to: "see all clients")]
    case .list, .watch(nil, _, _, _): []
    case .stats(nil): [.any(.administer, to: "see the server's statistics")]
    case .kill(.name(let name)): [.administer(name)]
    case .kill: [.any(.administer, to: "end other clients' connections and streams")]
    case .stats(let name?) where Name.isPattern(name): [.subscribeToAny]
    case .show(let name), .stats(let name?), .watch(let name?, _, _, _), .tap(let name, _, _, _):
      [.subscribe(name)]
    case .send(let name, _), .feed(let name): [.send(name)]
    case .publish(let name, _, _, _, let owner):
      owner ? [.send(name), .complete(name)] : [.send(name)]
    case .done(.name(let name)), .fail(.name(let name), _, _): [.complete(name)]
    case .serve(let name, _, _): [.serve(name)]
    }
  }
}
