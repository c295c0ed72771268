/// How far the values of a subject have come; the first value has the number 1.
package struct SubjectProgress {
  /// How many values were taken, including waiting ones.
  package let taken: Int
  package let published: Int
  /// How many have gone to all subscriptions; kept values may lag behind.
  package let passed: Int
  /// How many of the last values are kept; `nil` if the subject keeps none.
  package let kept: Int?

  /// Whether some subscription will not get this value: it was dropped or replaced.
  package func hasLost(_ number: Int) -> Bool {
    number > taken || kept.map { number > passed && number <= published - $0 } ?? false
  }
}

extension ServerSubject {
  /// The progress; valid between turns only.
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
