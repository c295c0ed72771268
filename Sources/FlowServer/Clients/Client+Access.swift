internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

// Who a client is, and what it may read.
extension Client {
  /// Answers HELLO; the client is framed from then on.
  func greet(_ version: String, _ ping: Int64?, _ name: String?) throws(DefinitionError) {
    // The answer does not count as the first sign of life.
    let written = connection.written
    let period = try session.greet(version, ping, within: engine.configuration.ping, name)
    answer(.hello(ping: period, name: name))
    if let period { keepAlive(period, written: written) }
  }

  /// Tries a token, unless too many that came from there were wrong.
  func tryToken(_ token: String) {
    let peer = connection.peer
    if session.access.takesToken,
      let seconds = engine.tokens.secondsLockedOut(peer, at: engine.now)
    {
      return bye(.auth, "too many unknown tokens from \(peer.host); try again in \(seconds) s")
    }
    guard !session.access.tryToken(token) else {
      answer(.plain(.auth))
      recent.subject = nil
      readAsGranted()
      return
    }
    refuse(.denied, "unknown token")
    let lockout = peer.network.flatMap { engine.tokens.lockouts.fail($0, at: engine.now) }
    logUnknownToken(lockout)
    let failures = session.access.failures
    if failures >= engine.configuration.wrongTokenLimit { bye(.auth, "\(failures) unknown tokens") }
  }

  /// Lets the client in as the holder of a certificate, if the tokens say what that may do.
  func take(certificate name: String) {
    guard session.access.takeCertificate(name) else { return }
    readAsGranted()
  }

  private func logUnknownToken(_ lockout: Int64?) {
    let seconds = lockout.map { Int($0 / 1_000_000_000) }
    let peer = connection.peer
    engine.log(
      .warning,
      "failed-auth",
      "failed AUTH from \(peer.host) client=\(id)" + (seconds.map { " lockout=\($0)s" } ?? ""),
      [.number("client", id), .text("host", "\(peer.host)")]
        + (seconds.map { [.number("lockout", $0)] } ?? [])
    )
  }

  /// The tokens were replaced; returns false if this client's is no longer good.
  func followTokens(_ places: [Int?]) -> Bool {
    recent.subject = nil
    return session.access.follow(places)
  }

  /// What the client may see.
  var gate: Gate { engine.gate(for: session.access) }
}

extension PipelineFailure {
  /// The failure as those see it who may not read all that it was made of.
  var hidden: PipelineFailure {
    PipelineFailure(code: code, message: "this token may not see the failure")
  }
}
