/// How long the same thing has been wrong, though figures in the verdict may change.
struct LastingVerdict {
  private struct Essence: Equatable {
    let code: Verdict.Code
    let stage: Int?
    let end: String?
    let name: String?
  }

  private var essence: Essence?
  private var since: Int64 = 0

  mutating func record(_ verdict: Verdict, at now: Int64) {
    let new: Essence? =
      switch verdict.code {
      case .leavesOut, .client, .stage, .elsewhere, .busy:
        Essence(code: verdict.code, stage: verdict.stage, end: verdict.end, name: verdict.name)
      case .quiet, .well, .asleep, .failed: nil
      }
    if new != essence { since = now }
    essence = new
  }

  /// How long the same thing has been wrong, in nanoseconds; nil if nothing is.
  func lasted(at now: Int64) -> Int64? { essence == nil ? nil : now - since }
}
