internal import FlowLanguage

/// What a stream has missed, and which part DROP has not reported yet.
final class StreamMisses {
  /// The unreported values, by reason.
  private(set) var untold: [DropReason: Int] = [:]
  private(set) var total = 0
  /// How many a closure had no answer for.
  private(set) var failed = 0
  private(set) var since: Int64 = 0

  var untoldCount: Int { untold.values.reduce(0, +) }

  /// The unreported values by reason; empty if all were missed for lack of demand.
  var reasons: [String: Int] {
    guard untold.keys.contains(where: { $0 != .noDemand }) else { return [:] }
    return Dictionary(uniqueKeysWithValues: untold.map { ($0.key.rawValue, $0.value) })
  }

  func add(_ count: Int, _ reason: DropReason, at now: Int64) {
    if untold.isEmpty { since = now }
    total += count
    if reason == .failed { failed += count }
    untold[reason, default: 0] += count
  }

  /// Returns the unreported values, which count as reported now.
  func take() -> [DropReason: Int] {
    defer { untold.removeAll() }
    return untold
  }
}
