internal import FlowWire
internal import Spelling

/// The names that a token is valid for: `lab-*,!lab-secret-*`.
///
/// A pattern with `!` denies. A name is covered if some pattern fits it and none denies it, in any
/// order.
struct NamePatterns: Equatable, Sendable {
  let text: String
  private let allowed: [NamePattern]
  private let denied: [NamePattern]

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

  /// Parses comma-separated patterns.
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

  /// Whether they cover all names.
  var areAll: Bool { denied.isEmpty && allowed.contains { $0.isAll } }

  func covers(_ name: String) -> Bool { !denies(name) && allowed.contains { $0.fits(name) } }

  /// Whether they certainly cover all names that fit `pattern`.
  func cover(_ pattern: NamePattern) -> Bool {
    denied.isEmpty && allowed.contains { $0.covers(pattern) }
  }

  func denies(_ name: String) -> Bool { denied.contains { $0.fits(name) } }

  struct PatternError: Error {
    let message: String
  }
}
