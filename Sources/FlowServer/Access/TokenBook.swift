internal import FlowTransport

/// The server's current tokens, shared by all connections.
final class TokenBook {
  private(set) var tokens: [Token]
  /// Whether clients need a token; once true, it stays true even if there are none.
  private(set) var isNeeded: Bool
  /// Networks that sent too many unknown tokens.
  var lockouts = Lockouts()

  init(_ configuration: Configuration) {
    tokens = configuration.tokens
    isNeeded = configuration.needsToken || !configuration.tokens.isEmpty
  }

  /// Returns the index of the token `text`, in constant time.
  func place(of text: String) -> Int? {
    let digest = SHA256(of: text.utf8)
    var found: Int?
    for (place, token) in tokens.enumerated() where token.digest.isSame(as: digest) {
      if token.certificate == nil { found = place }
    }
    return found
  }

  /// Returns the index of the token for the certificate `name`.
  ///
  /// Compares bytes: a CA treats two spellings of an accent as different names.
  func place(ofCertificate name: String) -> Int? {
    tokens.firstIndex { $0.certificate?.utf8.elementsEqual(name.utf8) == true }
  }

  /// How many seconds `peer` is still locked out, if it is.
  func secondsLockedOut(_ peer: SocketAddress, at now: Int64) -> Int64? {
    let rest = peer.network.flatMap { lockouts.remaining(for: $0, at: now) }
    return rest.map { ($0 + 999_999_999) / 1_000_000_000 }
  }

  /// Replaces the tokens.
  ///
  /// - Returns: the new index of each old token; `nil` if it was revoked or now allows less.
  func replace(by new: [Token]) -> [Int?] {
    defer {
      tokens = new
      isNeeded = isNeeded || !new.isEmpty
    }
    return tokens.map { old in
      let place = new.lastIndex {
        $0.digest.isSame(as: old.digest) && $0.certificate == old.certificate
      }
      return place.flatMap { new[$0].isAtLeast(old) ? $0 : nil }
    }
  }
}
