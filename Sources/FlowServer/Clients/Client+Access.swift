internal import FlowLanguage
internal import FlowWire

// What a client with a token may do: the rights that each command needs, and for which names.
extension Client {
  /// Refuses an action for which the client's token is not good.
  func isAllowed(_ action: Session.Action) -> Bool {
    do throws(DefinitionError) {
      try check(action)
      return true
    } catch {
      session.refuse(error.code, error.message)
      switch action {
      case .tail: endAfterRefusedTail()
      case .feed: skipLines()
      default: break
      }
      return false
    }
  }

  private func check(_ action: Session.Action) throws(DefinitionError) {
    let access = session.access
    switch action {
    case .none, .help, .quit, .keepAlive, .authorized, .goodbye, .endAfterRefusedTail,
      .skipLines:
      break
    case .endPublication, .signalCall, .request, .refuseDemand, .cancel: break
    case .defineSubject(let name, _), .delete(let name): try access.check(.define, name)
    case .definePipeline(let name, let expression):
      try access.check(.define, name)
      try checkReading(expression)
    case .run(let name, let expression):
      try access.check(.define, name)
      let target = (try? engine.registry.compileStanding(expression))?.target
      if let target { try access.check(.publish, target) }
      try checkReading(expression, except: target)
    case .explain(let expression), .subscribe(let expression, _), .tail(let expression):
      try checkReading(expression)
    case .list(.streams), .list(.clients): try access.check(.administer, to: "see all clients")
    case .list: break
    case .stats(nil): try access.check(.administer, to: "see the server's figures")
    case .show(let name), .stats(let name?): try access.check(.subscribe, name)
    case .send(let name, _), .feed(let name), .completeSubject(let name, _),
      .publish(let name, _, _, _, _), .serve(let name, _, _):
      try access.check(.publish, name)
    }
  }

  /// Checks every name in an expression.
  private func checkReading(
    _ expression: Expression,
    except target: String? = nil
  ) throws(DefinitionError) {
    try session.access.check(.subscribe, to: "subscribe")
    for name in engine.registry.names(in: expression).sorted() where name != target {
      try session.access.check(.subscribe, name)
    }
    // A call does something elsewhere, as sending does.
    for service in engine.registry.services(in: expression) {
      try session.access.check(.publish, service)
    }
  }
}
