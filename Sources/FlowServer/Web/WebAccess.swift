internal import FlowHTTP
internal import FlowTransport

/// Who may see the page and its figures, where the server asks for tokens.
///
/// A token is said with each request, or once in a form: then a cookie stands for it, which tells no
/// other site anything and which no script can read. Whoever says none has the rights of the
/// certificate that a proxy vouches for.
final class WebAccess {
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var sessions: [String: Session] = [:]

  private struct Session {
    var access: Access
    var used: Int64
  }

  /// How many may be logged in, and how long one may do nothing, in nanoseconds.
  private static let most = 1024
  private static let idle: Int64 = 12 * 3_600_000_000_000
  private static let cookie = "flow"

  init(engine: Engine) { self.engine = engine }

  enum Answer {
    case granted(Access)
    case refused
    /// Too many wrong ones came from there; so many seconds have to pass.
    case lockedOut(Int64)
  }

  /// What whoever makes this request may see.
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

  /// Tries a token, unless too many that came from there were wrong.
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
  /// What was begun over TLS is said over TLS only.
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

  /// The tokens were replaced: sessions of those that are gone end.
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
