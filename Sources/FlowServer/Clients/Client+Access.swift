internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

// What a client may do: the rights that each command needs, and for which names.
extension Client {
  /// Tries a token, unless too many that came from there were wrong.
  func tryToken(_ token: String) {
    let peer = connection.peer
    if session.access.takesToken, let network = peer.network,
      let rest = engine.lockouts.remaining(for: network, at: engine.now)
    {
      let seconds = (rest + 999_999_999) / 1_000_000_000
      return bye("auth", "unknown tokens came from \(peer.host); try again in \(seconds) s")
    }
    guard !session.tryToken(token) else {
      lastSubject = nil
      readAsGranted()
      return
    }
    let lockout = peer.network.flatMap { engine.lockouts.fail($0, at: engine.now) }
    let length = lockout.map { " lockout=\($0 / 1_000_000_000)s" } ?? ""
    engine.log("failed AUTH from \(peer.host) client=\(id)\(length)")
    if session.hasGuessed { bye("auth", "\(session.access.failures) unknown tokens") }
  }

  /// The tokens were replaced; returns false if this client's is no longer good.
  func followTokens(_ places: [Int?]) -> Bool {
    lastSubject = nil
    return session.followTokens(places)
  }

  /// Whether the client may read all of `names`, and what came to those that are subjects.
  func reads(_ names: [String]) -> Bool { engine.reads(names, session.access) }

  /// Refuses a command that may not be run: before the token, for want of a right, or since the
  /// server goes away.
  func authorize(_ command: Command) throws(DefinitionError) {
    let access = session.access
    guard access.isGranted || command.needsNoToken else {
      throw DefinitionError("denied", Access.first)
    }
    if session.isDraining, command.opensSomething { throw .draining }
    guard access.isRestricted else { return }
    switch command {
    case .hello, .auth, .help, .ping, .quit: break
    // They are about what the client has open.
    case .request, .cancel, .done(.stream), .fail(.stream, _, _): break
    case .subject(let name, _), .delete(let name): try access.check(.define, name)
    // The names in an expression are checked where they are looked up.
    case .pipeline(let name, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
    case .run(let name, _):
      try access.check(.define, name)
      try access.check(.subscribe, to: "subscribe")
      try access.check(.send, to: "send")
    case .explain, .subscribe, .take, .tail: try access.check(.subscribe, to: "subscribe")
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
    case .done(.name(let name)), .fail(.name(let name), _, _): try access.check(.complete, name)
    case .serve(let name, _, _): try access.check(.serve, name)
    }
  }
}

extension Command {
  /// Whether it is taken before the token.
  fileprivate var needsNoToken: Bool {
    switch self {
    case .hello, .auth, .ping, .help, .quit: true
    default: false
    }
  }

  /// Whether it makes something that a server which goes away does not make.
  fileprivate var opensSomething: Bool {
    switch self {
    case .subject, .pipeline, .run, .subscribe, .take, .tail, .publish, .feed, .serve: true
    default: false
    }
  }
}

extension PipelineFailure {
  /// The failure as those see it who may not read all that it was made of.
  var hidden: PipelineFailure {
    PipelineFailure(code: code, message: "what it reads is not all for this token")
  }
}
