internal import FlowWire

/// Which names a token is good for: `lab-*,!lab-secret-*`.
///
/// Each pattern is a name, or the beginning of names and a `*`; one with a `!` denies. A name is
/// covered if a pattern fits it and none denies it, whatever their order.
struct NamePatterns: Equatable, Sendable {
  /// The patterns as written.
  let text: String
  private let allowed: [Pattern]
  private let denied: [Pattern]

  /// All names.
  static let all = NamePatterns(text: "*", allowed: [Pattern("*")], denied: [])

  private init(text: String, allowed: [Pattern], denied: [Pattern]) {
    self.text = text
    self.allowed = allowed
    self.denied = denied
  }

  /// Reads patterns with commas between them.
  init(_ text: String) throws(PatternError) {
    var allowed: [Pattern] = []
    var denied: [Pattern] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let isDenial = part.hasPrefix("!")
      guard let pattern = Pattern(reading: isDenial ? String(part.dropFirst()) : part) else {
        let shown = FrameWriter.oneLine(part)
        throw PatternError(
          message: "pattern \"\(shown)\": expected a name, or the beginning of names and *"
        )
      }
      if isDenial { denied.append(pattern) } else { allowed.append(pattern) }
    }
    guard !allowed.isEmpty else {
      throw PatternError(message: "the patterns \"\(text)\" only exclude names; write *,\(text)")
    }
    self.init(text: text, allowed: allowed, denied: denied)
  }

  /// Whether there is no name that they do not cover.
  var areAll: Bool { denied.isEmpty && allowed.contains { $0.isAll } }

  func covers(_ name: String) -> Bool { !denies(name) && allowed.contains { $0.fits(name) } }

  /// Whether a pattern with a `!` fits.
  func denies(_ name: String) -> Bool { denied.contains { $0.fits(name) } }

  /// What is wrong with patterns.
  struct PatternError: Error {
    let message: String
  }

  private struct Pattern: Equatable {
    private let start: [UInt8]
    private let isOpen: Bool

    init(_ text: String) {
      isOpen = text.hasSuffix("*")
      start = Array(isOpen ? text.utf8.dropLast() : text.utf8[...])
    }

    init?(reading text: String) {
      self.init(text)
      guard isOpen ? Name.isBeginning(text.dropLast()) : Name.isReadable(text) else { return nil }
    }

    var isAll: Bool { isOpen && start.isEmpty }

    func fits(_ name: String) -> Bool {
      isOpen ? name.utf8.starts(with: start) : name.utf8.elementsEqual(start)
    }
  }
}
