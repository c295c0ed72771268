internal import FlowHTTP
internal import FlowTransport

/// Decides who may see the page, if the server needs tokens.
///
/// A token comes with each request, or once in a form; then a cookie replaces it, which no script
/// and no other site can read. A request without a token has the rights of its client certificate,
/// if a proxy has verified one.
final class WebAccess {
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var sessions: [String: Session] = [:]

  private struct Session {
    var access: Access
    var used: Int64
  }

  /// How many may be logged in.
  private static let most = 1024
  private static let idle: Int64 = 12 * 3_600_000_000_000
  private static let cookie = "flow"

  init(engine: Engine) { self.engine = engine }

  enum Answer {
    case granted(Access)
    case refused
    /// Too many wrong tokens came from there; the seconds that remain.
    case lockedOut(Int64)
  }

  func access(
    _ request: RequestHead,
    from peer: SocketAddress,
    certificate: String?
  ) -> Answer {
    var own = Access(engine.tokens)
    guard own.takesToken else { return .granted(own) }
    if let header = request.header("authorization") {
      guard header.lowercased().hasPrefix("bearer ") else { return .refused }
      return token(String(header.dropFirst(7)).trimmed, from: peer)
    }
    if let id = request.cookie(Self.cookie), let session = sessions[id],
      engine.now - session.used < Self.idle
    {
      sessions[id]?.used = engine.now
      return .granted(session.access)
    }
    return certificate.map { own.takeCertificate($0) } == true ? .granted(own) : .refused
  }

  /// Tries a token, unless its network is locked out.
  func token(_ text: String, from peer: SocketAddress) -> Answer {
    if let seconds = engine.tokens.secondsLockedOut(peer, at: engine.now) {
      return .lockedOut(seconds)
    }
    var access = Access(engine.tokens)
    if access.tryToken(text) { return .granted(access) }
    if let network = peer.network { _ = engine.tokens.lockouts.fail(network, at: engine.now) }
    engine.log(
      .warning,
      "failed-auth",
      "failed login on the page from \(peer.host)",
      [.text("host", "\(peer.host)")]
    )
    return .refused
  }

  /// Begins a session; returns the value of `Set-Cookie`.
  ///
  /// A session that began over TLS is valid over TLS only.
  func logIn(_ access: Access, overTLS: Bool) -> String {
    sessions = sessions.filter { engine.now - $0.value.used < Self.idle }
    if sessions.count >= Self.most, let oldest = sessions.min(by: { $0.value.used < $1.value.used })
    {
      sessions[oldest.key] = nil
    }
    let platform = engine.loop.platform
    let id = (0..<4).map { _ in hexadecimal(platform.random()) }.joined()
    sessions[id] = Session(access: access, used: engine.now)
    return "\(Self.cookie)=\(id); HttpOnly; SameSite=Strict; Path=/\(overTLS ? "; Secure" : "")"
  }

  /// Ends sessions whose tokens were revoked.
  func follow(_ places: [Int?]) {
    for id in sessions.keys where sessions[id]?.access.follow(places) != true { sessions[id] = nil }
  }
}

private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.count) + digits
}

extension String {
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
