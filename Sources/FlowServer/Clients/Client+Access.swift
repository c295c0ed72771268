internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

// Identifying the client, and what it may read.
extension Client {
  /// Answers HELLO; the protocol is framed from then on.
  func greet(_ version: String, _ ping: Int64?, _ name: String?) throws(DefinitionError) {
    // The answer itself must not count as the first keep-alive.
    let written = connection.written
    let period = try session.greet(version, ping, within: engine.configuration.timeouts.ping, name)
    answer(.hello(ping: period, name: name))
    if let period { keepAlive(period, written: written) }
  }

  /// Tries a token, unless its network is locked out.
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

  /// Grants the rights of the holder of a certificate, if the tokens name it.
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

  /// Updates the access after the tokens were replaced; returns false if the token was revoked.
  func followTokens(_ places: [Int?]) -> Bool {
    recent.subject = nil
    return session.access.follow(places)
  }

  var gate: Gate { engine.gate(for: session.access) }
}

extension PipelineFailure {
  /// The failure without its text, for clients that may not read all that it was made of.
  var hidden: PipelineFailure {
    PipelineFailure(code: code, message: "this token may not see the failure")
  }
}
