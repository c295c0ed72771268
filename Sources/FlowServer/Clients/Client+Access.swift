internal import FlowLanguage
internal import FlowTransport
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

  /// Tries a token, unless too many that came from there were wrong.
  func authorize(_ token: String) {
    let peer = connection.peer
    if session.access.takesToken, let network = peer.network,
      let rest = engine.lockouts.remaining(for: network, at: engine.now)
    {
      let seconds = (rest + 999_999_999) / 1_000_000_000
      return bye("auth", "unknown tokens came from \(peer.host); it is let say one in \(seconds) s")
    }
    let (isRight, action) = session.authorize(token)
    guard !isRight else {
      lastSubject = nil
      readAsGranted()
      return
    }
    let lockout = peer.network.flatMap { engine.lockouts.fail($0, at: engine.now) }
    let length = lockout.map { " lockout=\($0 / 1_000_000_000)s" } ?? ""
    engine.log("failed AUTH from \(peer.host) client=\(id)\(length)")
    if case .goodbye(let code, let text) = action { bye(code, text) }
  }

  /// Whether the client may read all of `names`, and what came to those that are subjects from
  /// elsewhere: then it may be told what was made of them.
  func reads(_ names: [String]) -> Bool {
    let access = session.access
    return !access.isRestricted || access.reads(engine.origins(of: names))
  }

  /// A text that was made of all `names`, or what stands for it.
  func visible(_ text: @autoclosure () -> String, of names: [String]) -> String {
    reads(names) ? text() : Self.hidden
  }

  /// Stands for what a client may not see.
  static let hidden = "…"

  private func check(_ action: Session.Action) throws(DefinitionError) {
    let access = session.access
    switch action {
    case .none, .help, .quit, .keepAlive, .authorize, .goodbye, .endAfterRefusedTail, .skipLines:
      break
    case .endPublication, .signalCall, .request, .refuseDemand, .cancel: break
    case .defineSubject(let name, _), .delete(let name): try access.check(.define, name)
    // The names in an expression are checked where they are looked up.
    case .definePipeline(let name, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
    case .run(let name, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
      try access.check(.send, to: "send")
    case .explain, .subscribe, .tail: try access.check(.subscribe, to: "subscribe")
    case .list(.streams), .list(.clients): try access.check(.administer, to: "see all clients")
    case .list: break
    case .stats(nil): try access.check(.administer, to: "see the server's figures")
    case .kill(.name(let name)): try access.check(.administer, name)
    case .kill: try access.check(.administer, to: "end what others have open")
    case .show(let name), .stats(let name?): try access.check(.subscribe, name)
    case .send(let name, _), .feed(let name): try access.check(.send, name)
    case .publish(let name, _, _, _, let owner):
      try access.check(.send, name)
      if owner { try access.check(.complete, name) }
    case .completeSubject(let name, _): try access.check(.complete, name)
    case .serve(let name, _, _): try access.check(.serve, name)
    }
  }
}

extension Engine {
  /// `names`, and for subjects among them the names that their failures were made of.
  func origins(of names: [String]) -> [String] {
    names + names.flatMap { registry.subject($0)?.failureOrigins ?? [] }
  }
}

extension Run {
  /// All that it names, its target too.
  var mentions: [String] { standing.pipeline.mentions + [standing.target] }
}

extension PipelineFailure {
  /// The failure as those see it who may not read all that it was made of.
  var hidden: PipelineFailure {
    PipelineFailure(code: code, message: "what it reads is not all for this token")
  }
}
