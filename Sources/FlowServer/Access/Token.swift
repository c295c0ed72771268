/// A secret that a client says with `AUTH`, and what it may do from then on.
///
/// The secret itself is not kept, only its SHA-256 digest.
public struct Token: Sendable {
  /// What a token allows; the words are those of a token file.
  public struct Rights: OptionSet, Hashable, Sendable {
    /// A bit for each right.
    public let rawValue: Int
    /// Makes rights from bits; those that stand for none change nothing.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `sub`: to subscribe to names and to look at them.
    public static let subscribe = Rights(rawValue: 1)
    /// `send`: to send values to subjects.
    public static let send = Rights(rawValue: 2)
    /// `hold`: to make publishers of `flow=slowest` subjects wait.
    public static let hold = Rights(rawValue: 256)
    /// `define`: to define and to delete, and `hold`.
    public static let define: Rights = [Rights(rawValue: 4), .hold]
    /// `admin`: to see all clients and streams, and to end them.
    public static let administer = Rights(rawValue: 8)
    /// `complete`: to complete and to fail subjects.
    public static let complete = Rights(rawValue: 16)
    /// `ask`: to have pipelines make calls.
    public static let ask = Rights(rawValue: 32)
    /// `serve`: to answer calls.
    public static let serve = Rights(rawValue: 64)
    /// `print`: to have pipelines write into the server's log.
    public static let print = Rights(rawValue: 128)
    /// `pub`: `send`, `complete`, `ask`, `serve` and `hold`.
    public static let publish: Rights = [.send, .complete, .ask, .serve, .hold]
    /// `all` of these.
    public static let all: Rights = [.subscribe, .publish, .define, .administer, .print]

    static let words: [(word: String, right: Rights)] = [
      ("sub", .subscribe), ("hold", .hold), ("pub", .publish), ("send", .send),
      ("complete", .complete), ("ask", .ask), ("serve", .serve), ("define", .define),
      ("print", .print), ("admin", .administer), ("all", .all),
    ]

    /// The words that say these rights; one that is a part of another is left out.
    var text: String {
      let held = Self.words.filter { $0.right != .all && isSuperset(of: $0.right) }
      let largest = held.filter { part in
        !held.contains { $0.right != part.right && $0.right.isSuperset(of: part.right) }
      }
      return largest.map(\.word).joined(separator: ",")
    }
  }

  /// What it allows.
  public let rights: Rights
  /// The names that it is valid for, as written.
  public var pattern: String { patterns.text }
  let patterns: NamePatterns
  /// Whether it allows everything.
  let isUnlimited: Bool
  let digest: SHA256
  /// The common name of the certificate it stands for; such a token cannot be sent with AUTH.
  let certificate: String?

  /// Makes a token; by default one that may do everything.
  ///
  /// - Parameters:
  ///   - secret: what a client says.
  ///   - rights: what it allows.
  ///   - pattern: the names that it is valid for: `lab-*,!lab-secret-*`. In a level of a name `*` is
  ///     any characters, `**` is any levels; a pattern with a `!` denies.
  public init(_ secret: String, rights: Rights = .all, pattern: String = "**") {
    do {
      let patterns = try NamePatterns(pattern)
      self.init(SHA256(of: secret.utf8), rights: rights, patterns: patterns)
    } catch {
      preconditionFailure(error.message)
    }
  }

  init(_ digest: SHA256, rights: Rights, patterns: NamePatterns, certificate: String? = nil) {
    self.digest = digest
    self.certificate = certificate
    self.rights = rights
    self.patterns = patterns
    isUnlimited = rights == .all && patterns.areAll
  }

  /// Compares in constant time.
  func isSecret(_ text: String) -> Bool { digest.isSame(as: SHA256(of: text.utf8)) }

  func covers(_ name: String) -> Bool { patterns.covers(name) }

  /// Whether it certainly allows all that `other` allows.
  func isAtLeast(_ other: Token) -> Bool {
    rights.isSuperset(of: other.rights) && (patterns.areAll || patterns == other.patterns)
  }
}

extension Token: CustomStringConvertible, CustomReflectable {
  public var description: String { "Token(\(rights.text) \(patterns.text))" }

  /// Empty, so that no dump shows the digest.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
