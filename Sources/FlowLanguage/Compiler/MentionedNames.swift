/// The names in the text of a pipeline, and by reference those in the pipelines that it names.
///
/// Each of a long row of pipelines, of which each names the one before, names all that come before it;
/// so they are looked up when somebody asks, and not copied. What runs may keep this, and not the
/// pipeline, whose `share`s may hold what runs.
public final class MentionedNames {
  /// The subjects read, those of pipelines that are named included.
  let subjects: [String]
  /// The pipelines, services and patterns that the text names.
  private var others: [Mention]

  init(_ mentions: Mentions) {
    subjects = mentions.subjects
    others = mentions.others
  }

  /// Takes a long row apart without going as deep as it is long.
  deinit {
    var rest = others.compactMap(\.below)
    others = []
    while var last = rest.popLast() {
      guard isKnownUniquelyReferenced(&last) else { continue }
      rest += last.others.compactMap(\.below)
      last.others = []
    }
  }

  /// Whether the text names anything but subjects.
  var hasOthers: Bool { !others.isEmpty }

  /// All of them: the subjects, then whatever else is named, over any number of pipelines.
  public var all: [String] {
    guard hasOthers else { return subjects }
    var names = subjects
    var seen: Set<String> = []
    var visited: Set<ObjectIdentifier> = []
    var rest = Array(others.reversed())
    while let next = rest.popLast() {
      if seen.insert(next.name).inserted { names.append(next.name) }
      guard let below = next.below, visited.insert(ObjectIdentifier(below)).inserted else {
        continue
      }
      rest += below.others.reversed()
    }
    return names
  }
}

/// A pipeline, service or pattern that a text names.
struct Mention {
  let name: String
  /// What the pipeline of that name names in its turn.
  var below: MentionedNames?
}
