internal import FlowLanguage
internal import FlowWire

extension Trial {
  /// Notes what `space` has of all that the expression and the rows may name, and of what that names.
  ///
  /// Then the trial is a value by itself, which may run anywhere.
  public mutating func look(up space: some NameSpace) {
    var texts = [expression] + rows
    while let text = texts.popLast() {
      let words = Self.words(of: text)
      let patterns = words.compactMap { SubjectSet($0) }
      let fitting = names.filter { name in patterns.contains { $0.contains(name) } }
      for name in words.union(fitting) where known[name] == nil {
        guard let content = space.content(of: name), let found = Known(content) else { continue }
        known[name] = found
        if case .pipeline(let text) = found { texts.append(text) }
      }
    }
  }

  /// What may be a name or a pattern in a text; of words joined by dashes, slashes and stars also their
  /// parts, since these may be signs.
  private static func words(of text: String) -> Set<String> {
    var words: Set<String> = []
    for word in text.utf8.split(whereSeparator: { !$0.isInName }) {
      words.insert(String(Substring(word)))
      let parts = word.split(omittingEmptySubsequences: false, whereSeparator: \.joinsWords)
      for first in parts.indices where parts.count > 1 {
        for last in parts[first...].prefix(mostParts).indices {
          let run = parts[first].startIndex..<parts[last].endIndex
          words.insert(String(Substring(text.utf8[run])))
        }
      }
    }
    return words
  }

  /// A part of more words than this is not looked for in a longer word.
  private static let mostParts = 8
}

extension Trial.Known {
  /// What stands for the same; nothing if that is broken.
  init?(_ content: Definition.Content) {
    switch content {
    case .subject(let settings): self = .subject(settings)
    case .pipeline(let pipeline): self = .pipeline(pipeline.text)
    case .run(let run): self = .run(target: run.target)
    case .broken: return nil
    }
  }

  /// The word of its kind.
  var kind: String {
    switch self {
    case .subject: "subject"
    case .pipeline: "pipeline"
    case .run: "run"
    }
  }
}

extension UInt8 {
  /// Whether it stands between the words of a name, or is a sign.
  fileprivate var joinsWords: Bool {
    self == UInt8(ascii: "-") || self == UInt8(ascii: "/") || self == UInt8(ascii: "*")
  }

  /// Whether names or patterns have it.
  fileprivate var isInName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || joinsWords
    }
  }
}
