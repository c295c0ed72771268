internal import FlowTransport

/// The tokens that a server takes at present, which all its connections look up.
final class TokenBook {
  private(set) var tokens: [Token]
  /// Whether clients have to say one; once they do they always do, though there be none to say.
  private(set) var isNeeded: Bool
  /// Where too many unknown ones came from.
  var lockouts = Lockouts()

  init(_ configuration: Configuration) {
    tokens = configuration.tokens
    isNeeded = configuration.needsToken || !configuration.tokens.isEmpty
  }

  /// The place of the token that is `text`; all are looked at, so that the time tells nothing.
  func place(of text: String) -> Int? {
    let digest = SHA256(of: text.utf8)
    var found: Int?
    for (place, token) in tokens.enumerated() where token.digest.isSame(as: digest) {
      if token.certificate == nil { found = place }
    }
    return found
  }

  /// The place of what the holder of a certificate may do; the name is no secret.
  ///
  /// Names are the same if their bytes are: to a CA, two spellings of an accent are two names.
  func place(ofCertificate name: String) -> Int? {
    tokens.firstIndex { $0.certificate?.utf8.elementsEqual(name.utf8) == true }
  }

  /// For how many seconds more nobody from where `peer` is may say a token, if that is so.
  func secondsLockedOut(_ peer: SocketAddress, at now: Int64) -> Int64? {
    let rest = peer.network.flatMap { lockouts.remaining(for: $0, at: now) }
    return rest.map { ($0 + 999_999_999) / 1_000_000_000 }
  }

  /// Takes other tokens from now on.
  ///
  /// - Returns: where each of the old ones stands now; `nil` for one that is revoked, or that is no
  ///   longer good for all that it was good for.
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
