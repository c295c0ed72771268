internal import FlowLanguage
internal import FlowWire

extension Trial {
  /// Notes what `space` has of all that the expression and the rows may name, and of what that names.
  ///
  /// Then the trial is a value by itself, which may run anywhere.
  public mutating func look(up space: some NameSpace) {
    var texts = [expression] + rows
    while let text = texts.popLast() {
      for name in Self.words(of: text) where known[name] == nil {
        guard let content = space.content(of: name), let found = Known(content) else { continue }
        known[name] = found
        if case .pipeline(let text) = found { texts.append(text) }
      }
    }
  }

  /// What may be a name in a text; of words joined by dashes also their parts, since a dash may be a
  /// sign.
  private static func words(of text: String) -> Set<String> {
    var words: Set<String> = []
    for word in text.utf8.split(whereSeparator: { !$0.isInName }) {
      words.insert(String(Substring(word)))
      let parts = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
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
  /// Whether names have it.
  fileprivate var isInName: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: self == UInt8(ascii: "_") || self == UInt8(ascii: "-") || self == UInt8(ascii: "$")
    }
  }
}
