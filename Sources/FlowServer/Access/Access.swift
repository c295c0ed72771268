internal import FlowFiles
internal import FlowSubjects
internal import FlowWire
internal import Spelling

/// What a client may do: everything on a server without tokens, else what its token allows.
struct Access {
  private let book: TokenBook
  /// Whether the client connected when no token was needed.
  private let isFree: Bool
  // An index and not the token itself, to keep each connection small.
  private var place: Int32?
  private(set) var failures: Int32 = 0

  init(_ book: TokenBook) {
    self.book = book
    isFree = !book.isNeeded
  }

  /// Access to everything.
  static var everything: Access { Access(TokenBook(Configuration())) }

  /// Makes an access that does not change when the server's tokens are replaced.
  private init(only token: Token) {
    var configuration = Configuration()
    configuration.tokens = [token]
    self.init(TokenBook(configuration))
    place = 0
  }

  /// Parses the form of `text`; nil if malformed.
  init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, let rights = try? Token.rights(words[0], ""),
      let patterns = try? NamePatterns(words[1])
    else { return nil }
    self.init(only: Token(SHA256(of: "".utf8), rights: rights, patterns: patterns))
  }

  /// `RIGHTS PATTERNS`, as stored with a run in NATS; nil if nothing is restricted.
  var text: String? {
    guard isRestricted else { return nil }
    return token.map { "\($0.rights.text) \($0.patterns.text)" } ?? ""
  }

  /// The same access, unaffected when the server's tokens are replaced.
  var fixed: Access { isRestricted ? token.map(Access.init(only:)) ?? self : self }

  private var token: Token? { place.map { book.tokens[Int($0)] } }

  /// Whether AUTH is accepted; not on a server without tokens.
  var takesToken: Bool { !isFree }

  /// Whether commands besides AUTH are allowed.
  var isGranted: Bool { isFree || place != nil }

  /// Whether anything is forbidden.
  var isRestricted: Bool { !isFree && place.map { book.tokens[Int($0)].isUnlimited } != true }

  mutating func tryToken(_ text: String) -> Bool {
    guard !isFree else { return true }
    guard let found = book.place(of: text) else {
      failures += 1
      return false
    }
    place = Int32(found)
    failures = 0
    return true
  }

  /// Takes the rights of the certificate `name`; returns false if there are none.
  mutating func takeCertificate(_ name: String) -> Bool {
    guard !isFree, let found = book.place(ofCertificate: name) else { return false }
    place = Int32(found)
    return true
  }

  /// Finds the token's new index after the tokens were replaced; returns false if it was revoked.
  mutating func follow(_ places: [Int?]) -> Bool {
    guard let old = place else { return true }
    place = places[Int(old)].map { Int32($0) }
    return place != nil
  }

  /// Whether `right` is granted for `name`; the server's own subjects need `admin`.
  func allows(_ right: Token.Rights, _ name: String) -> Bool {
    guard isRestricted else { return true }
    guard let token else { return false }
    return token.rights.contains(name.isServers ? .administer : right) && shows(name)
  }

  func allows(_ right: Token.Rights) -> Bool {
    !isRestricted || token?.rights.contains(right) == true
  }

  /// Whether the existence of `name`, or of all names that fit a pattern, may be shown.
  func shows(_ name: String) -> Bool {
    guard isRestricted else { return true }
    guard let token else { return false }
    if Name.isPattern(name) { return NamePattern(name).map(token.patterns.cover) ?? false }
    // The server's own subjects show all names.
    if name.isServers { return token.rights.contains(.administer) && token.patterns.areAll }
    return token.covers(name)
  }

  /// Tests whether a name may be read; `nil` if all may.
  var readable: ((String) -> Bool)? {
    guard isRestricted else { return nil }
    guard let token, token.rights.contains(.subscribe) else { return { _ in false } }
    return { [patterns = token.patterns] in patterns.covers($0) }
  }

  func reads(_ names: some Sequence<String>) -> Bool {
    !isRestricted || (allows(.subscribe) && names.allSatisfy(shows))
  }

  /// Throws unless `right` is granted for `name`.
  func check(_ right: Token.Rights, _ name: String) throws(DefinitionError) {
    if !allows(right, name) { throw refusal(right, name) }
  }

  /// Throws unless `right` is granted for any name.
  func check(_ right: Token.Rights, to action: String) throws(DefinitionError) {
    guard !allows(right) else { return }
    throw DefinitionError(.denied, isGranted ? "this token may not \(action)" : Self.first)
  }

  static let first = "authenticate first: AUTH TOKEN"

  /// Returns the error for a forbidden `name`, the same whether or not it exists.
  func refusal(_ right: Token.Rights, _ name: String) -> DefinitionError {
    guard isGranted else { return DefinitionError(.denied, Self.first) }
    return DefinitionError(.denied, "this token may not \(right.action) \(name)")
  }
}

extension Token.Rights {
  /// Continues "may not … NAME".
  fileprivate var action: String {
    switch self {
    case .subscribe: "read"
    case .send: "send to"
    case .complete: "complete"
    case .ask: "ask"
    case .serve: "serve"
    case .administer: "end streams on"
    default: "define or delete"
    }
  }
}
