/// How far the values of a subject have come, by their numbers: the first that it took has 1.
package struct SubjectProgress {
  /// How many it has taken: those that wait, too.
  package let taken: Int
  /// How many have gone out.
  package let published: Int
  /// How many have gone to all subscriptions: of values that are kept, fewer than have gone out.
  package let passed: Int
  /// How many of the last ones are kept; `nil` if it keeps none.
  package let kept: Int?

  /// Whether the value of this number will not come to all: it was given up, or kept until another
  /// needed its place.
  package func hasLost(_ number: Int) -> Bool {
    number > taken || kept.map { number > passed && number <= published - $0 } ?? false
  }
}

extension ServerSubject {
  /// How far its values have come; to be asked for between turns.
  package var progress: SubjectProgress {
    let taken = published + waitingCount
    guard let kept = state.kept else {
      return SubjectProgress(taken: taken, published: published, passed: published, kept: nil)
    }
    var least = kept.end
    forEachOutlet { least = min(least, $0.cursor) }
    return SubjectProgress(
      taken: taken,
      published: published,
      passed: published - Int(kept.end - least),
      kept: kept.count
    )
  }
}
