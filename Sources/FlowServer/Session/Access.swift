/// What a client may do: everything where nobody is asked for a token, else what its token is for.
struct Access {
  private let tokens: [Token]
  // Not the token itself: every connection has room for this.
  private var place: Int?
  private(set) var failures = 0

  init(_ tokens: [Token]) { self.tokens = tokens }

  private var token: Token? { place.map { tokens[$0] } }

  /// Whether anything but AUTH may be said.
  var isGranted: Bool { tokens.isEmpty || place != nil }

  /// Whether there is anything that may not be done.
  var isRestricted: Bool { !tokens.isEmpty && (token?.rights != .all || token?.pattern != "*") }

  /// Tries a token; all are looked at, so that the time tells nothing of which it is.
  mutating func tryToken(_ text: String) -> Bool {
    var found: Int?
    for (place, token) in tokens.enumerated() where token.isSecret(text) { found = place }
    guard found != nil || tokens.isEmpty else {
      failures += 1
      return false
    }
    place = found
    failures = 0
    return true
  }

  /// Whether `right` is there for `name`; what the server's own subjects tell is of all clients.
  func allows(_ right: Token.Rights, _ name: String) -> Bool {
    guard isGranted else { return false }
    guard let token else { return true }
    if name.utf8.first == UInt8(ascii: "$") { return token.rights.contains(.administer) }
    return token.rights.contains(right) && token.covers(name)
  }

  /// Whether `right` is there for some name.
  func allows(_ right: Token.Rights) -> Bool {
    isGranted && token?.rights.contains(right) != false
  }

  /// Whether `name` may be known of.
  func shows(_ name: String) -> Bool { isGranted && token?.covers(name) != false }

  /// Refuses what is not allowed.
  func check(_ right: Token.Rights, _ name: String) throws(DefinitionError) {
    guard !allows(right, name) else { return }
    throw DefinitionError("denied", isGranted ? Self.refusal(right, name) : Self.first)
  }

  /// Refuses what is allowed for no name.
  func check(_ right: Token.Rights, to action: String) throws(DefinitionError) {
    guard !allows(right) else { return }
    throw DefinitionError("denied", isGranted ? "this token may not \(action)" : Self.first)
  }

  static let first = "say AUTH TOKEN first"

  private static func refusal(_ right: Token.Rights, _ name: String) -> String {
    let action =
      switch right {
      case .subscribe: "read"
      case .publish: "send to"
      default: "define or delete"
      }
    return "this token may not \(action) \(name)"
  }
}
