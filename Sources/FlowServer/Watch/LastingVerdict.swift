/// Since when something is wrong in the same way: the figures of a sentence may change meanwhile.
struct LastingVerdict {
  private struct Essence: Equatable {
    let code: Verdict.Code
    let stage: Int?
    let end: String?
    let name: String?
  }

  private var essence: Essence?
  private var since: Int64 = 0

  /// Takes the verdict of now.
  mutating func note(_ verdict: Verdict, at now: Int64) {
    let new: Essence? =
      switch verdict.code {
      case .client, .stage, .elsewhere, .busy:
        Essence(code: verdict.code, stage: verdict.stage, end: verdict.end, name: verdict.name)
      case .quiet, .well, .asleep, .failed: nil
      }
    if new != essence { since = now }
    essence = new
  }

  /// For how long it has been so, in nanoseconds; nil where nothing is wrong.
  func lasted(at now: Int64) -> Int64? { essence == nil ? nil : now - since }
}
