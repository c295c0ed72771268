internal import FlowFiles
internal import FlowSubjects
internal import FlowWire
internal import Spelling

/// What a client may do: everything where nobody is asked for a token, else what its token is for.
struct Access {
  private let book: TokenBook
  /// Whether it came when nobody was asked.
  private let isFree: Bool
  // Not the token itself, and small numbers: every connection has room for these.
  private var place: Int32?
  private(set) var failures: Int32 = 0

  init(_ book: TokenBook) {
    self.book = book
    isFree = !book.isNeeded
  }

  /// The access of a server that asks for no tokens: everything.
  static var everything: Access { Access(TokenBook(Configuration())) }

  /// Makes the access of one token, which does not change when the server's tokens are replaced.
  private init(only token: Token) {
    var configuration = Configuration()
    configuration.tokens = [token]
    self.init(TokenBook(configuration))
    place = 0
  }

  /// Reads `RIGHTS PATTERNS`, as the property `text` writes them; nil if malformed.
  init?(text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 2, let rights = try? Token.rights(words[0], ""),
      let patterns = try? NamePatterns(words[1])
    else { return nil }
    self.init(only: Token(SHA256(of: "".utf8), rights: rights, patterns: patterns))
  }

  /// `RIGHTS PATTERNS`, as stored with a run's definition in NATS; nil if nothing is restricted.
  var text: String? {
    guard isRestricted else { return nil }
    return token.map { "\($0.rights.text) \($0.patterns.text)" } ?? ""
  }

  /// The same access, unaffected when the server's tokens are replaced.
  var fixed: Access { isRestricted ? token.map(Access.init(only:)) ?? self : self }

  private var token: Token? { place.map { book.tokens[Int($0)] } }

  /// Whether a token says anything; it does not where nobody was asked.
  var takesToken: Bool { !isFree }

  /// Whether anything but AUTH may be said.
  var isGranted: Bool { isFree || place != nil }

  /// Whether there is anything that may not be done.
  var isRestricted: Bool { !isFree && place.map { book.tokens[Int($0)].isUnlimited } != true }

  /// Tries a token.
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

  /// Takes the rights of whoever has a certificate of that name, if there are any.
  mutating func takeCertificate(_ name: String) -> Bool {
    guard !isFree, let found = book.place(ofCertificate: name) else { return false }
    place = Int32(found)
    return true
  }

  /// The tokens were replaced, and each now stands at its place in `places`; returns false if this
  /// client's is no longer good.
  mutating func follow(_ places: [Int?]) -> Bool {
    guard let old = place else { return true }
    place = places[Int(old)].map { Int32($0) }
    return place != nil
  }

  /// Whether `right` is granted for `name`; for the server's own subjects it is `admin` that counts.
  func allows(_ right: Token.Rights, _ name: String) -> Bool {
    guard isRestricted else { return true }
    guard let token else { return false }
    return token.rights.contains(name.isServers ? .administer : right) && shows(name)
  }

  /// Whether `right` is there for some name.
  func allows(_ right: Token.Rights) -> Bool {
    !isRestricted || token?.rights.contains(right) == true
  }

  /// Whether `name`, or all that fits a pattern, may be known of; of others nothing is told, not even that they are not there.
  func shows(_ name: String) -> Bool {
    guard isRestricted else { return true }
    guard let token else { return false }
    if Name.isPattern(name) { return NamePattern(name).map(token.patterns.cover) ?? false }
    // The server's own subjects tell about all names.
    if name.isServers { return token.rights.contains(.administer) && token.patterns.areAll }
    return token.covers(name)
  }

  /// Tells of names whether they may be read, by the rights there are now; `nil` if all may.
  var readable: ((String) -> Bool)? {
    guard isRestricted else { return nil }
    guard let token, token.rights.contains(.subscribe) else { return { _ in false } }
    return { [patterns = token.patterns] in patterns.covers($0) }
  }

  /// Whether all of `names` may be read, so that what was made of them may be told.
  func reads(_ names: some Sequence<String>) -> Bool {
    !isRestricted || (allows(.subscribe) && names.allSatisfy(shows))
  }

  /// Refuses what is not allowed.
  func check(_ right: Token.Rights, _ name: String) throws(DefinitionError) {
    if !allows(right, name) { throw refusal(right, name) }
  }

  /// Refuses what is allowed for no name.
  func check(_ right: Token.Rights, to action: String) throws(DefinitionError) {
    guard !allows(right) else { return }
    throw DefinitionError(.denied, isGranted ? "this token may not \(action)" : Self.first)
  }

  static let first = "authenticate first: AUTH TOKEN"

  /// What is answered to someone who may not use `name` so, whether or not there is one.
  func refusal(_ right: Token.Rights, _ name: String) -> DefinitionError {
    guard isGranted else { return DefinitionError(.denied, Self.first) }
    return DefinitionError(.denied, "this token may not \(right.action) \(name)")
  }
}

extension Token.Rights {
  /// What it lets one do, as in "may not … NAME".
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
