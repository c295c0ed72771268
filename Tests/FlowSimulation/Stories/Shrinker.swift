/// Makes a story that fails as short as it can, so that it still fails in the same way.
package struct Shrinker {
  private let complaint: String

  /// `complaint` is what the story is to go on failing with.
  package init(_ complaint: String) { self.complaint = Self.kind(complaint) }

  /// Two failures are alike if they differ in numbers only.
  private static func kind(_ complaint: String) -> String {
    let words = complaint.split(separator: ";").first.map(String.init) ?? complaint
    return String(words.filter { !$0.isNumber }.prefix(60))
  }

  private func fails(_ story: Story) -> Bool {
    Play(story).run().complaints.contains { Self.kind($0) == complaint }
  }

  package func shrink(_ story: Story) -> Story {
    var story = story
    var size = max(1, story.steps.count / 2)
    while true {
      var start = 0
      var isShorter = false
      while start < story.steps.count {
        var shorter = story
        shorter.steps.removeSubrange(start..<min(start + size, story.steps.count))
        if fails(shorter) {
          story = shorter
          isShorter = true
        } else {
          start += size
        }
      }
      if size > 1 { size /= 2 } else if !isShorter { break }
    }
    for index in story.definitions.indices.reversed() {
      var shorter = story
      shorter.definitions.remove(at: index)
      if fails(shorter) { story = shorter }
    }
    let used = Set(story.steps.map(\.who))
    story.actors.removeAll { !used.contains($0.name) }
    return story
  }
}
