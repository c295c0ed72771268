internal import FlowWire
internal import Spelling

/// Which names a token is good for: `lab-*,!lab-secret-*`.
///
/// A pattern with a `!` denies. A name is covered if a pattern fits it and none denies it, whatever
/// their order.
struct NamePatterns: Equatable, Sendable {
  /// The patterns as written.
  let text: String
  private let allowed: [NamePattern]
  private let denied: [NamePattern]

  /// All names.
  static let all = NamePatterns(
    text: "**",
    allowed: NamePattern("**").map { [$0] } ?? [],
    denied: []
  )

  private init(text: String, allowed: [NamePattern], denied: [NamePattern]) {
    self.text = text
    self.allowed = allowed
    self.denied = denied
  }

  /// Reads patterns with commas between them.
  init(_ text: String) throws(PatternError) {
    var allowed: [NamePattern] = []
    var denied: [NamePattern] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let isDenial = part.hasPrefix("!")
      guard let pattern = NamePattern(isDenial ? String(part.dropFirst()) : part) else {
        let shown = FrameWriter.oneLine(part.excerpt())
        throw PatternError(
          message: "pattern \"\(shown)\": expected a name, or a pattern such as lab-* or lab/**"
        )
      }
      if isDenial { denied.append(pattern) } else { allowed.append(pattern) }
    }
    guard !allowed.isEmpty else {
      let shown = text.excerpt()
      throw PatternError(message: "the patterns \"\(shown)\" only exclude names; write **,\(shown)")
    }
    self.init(text: text, allowed: allowed, denied: denied)
  }

  /// Whether there is no name that they do not cover.
  var areAll: Bool { denied.isEmpty && allowed.contains { $0.isAll } }

  func covers(_ name: String) -> Bool { !denies(name) && allowed.contains { $0.fits(name) } }

  /// Whether they surely cover all names that `pattern` fits.
  func cover(_ pattern: NamePattern) -> Bool {
    denied.isEmpty && allowed.contains { $0.covers(pattern) }
  }

  /// Whether a pattern with a `!` fits.
  func denies(_ name: String) -> Bool { denied.contains { $0.fits(name) } }

  /// What is wrong with patterns.
  struct PatternError: Error {
    let message: String
  }
}
