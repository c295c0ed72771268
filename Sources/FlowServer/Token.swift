/// A secret that a client says with `AUTH`, and what it may do from then on.
public struct Token: Sendable {
  /// What a token is good for; the words are those of a token file.
  public struct Rights: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `sub`: to subscribe to names and to look at them.
    public static let subscribe = Rights(rawValue: 1)
    /// `pub`: to send to subjects and to complete them.
    public static let publish = Rights(rawValue: 2)
    /// `define`: to define and to delete.
    public static let define = Rights(rawValue: 4)
    /// `admin`: to see all clients and streams.
    public static let administer = Rights(rawValue: 8)
    /// `all` of these.
    public static let all: Rights = [.subscribe, .publish, .define, .administer]

    static let words: [(word: String, right: Rights)] = [
      ("sub", .subscribe), ("pub", .publish), ("define", .define), ("admin", .administer),
      ("all", .all),
    ]
  }

  /// What it is good for.
  public var rights: Rights
  /// The names that it is good for: one name, or all that begin as it does before its `*`.
  public var pattern: String
  private let secret: [UInt8]

  /// Makes a token; by default one that may do everything.
  public init(_ secret: String, rights: Rights = .all, pattern: String = "*") {
    self.secret = Array(secret.utf8)
    self.rights = rights
    self.pattern = pattern
  }

  /// Whether it is good for `name`.
  func covers(_ name: String) -> Bool {
    pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
  }

  /// Whether `text` is the secret; the time it takes tells nothing of the secret's octets.
  func isSecret(_ text: String) -> Bool {
    let given = Array(text.utf8)
    guard given.count == secret.count else { return false }
    var difference: UInt8 = 0
    for (mine, theirs) in zip(secret, given) { difference |= mine ^ theirs }
    return difference == 0
  }
}

extension Token: CustomStringConvertible, CustomReflectable {
  /// Everything but the secret.
  public var description: String {
    let words = Rights.words.filter { $0.right != .all && rights.contains($0.right) }
    return "Token(\(words.map(\.word).joined(separator: ",")) \(pattern))"
  }

  /// Nothing, so that no dump shows the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
