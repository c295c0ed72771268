import Spelling

/// What a pipeline has left out lately, in all of its runs.
///
/// It is touched where the pipeline runs.
public final class LeftOutValues {
  /// The last value, with its stage and the reason, in words; and when that was.
  public private(set) var last: (text: String, time: Int64)?
  /// The last reason of each stage, by its text.
  private var reasons: [String: String] = [:]

  init() {}

  /// Takes a value that was left out at `time`; only the beginning of it is kept.
  public func add(_ leftOut: LeftOut, at time: Int64) {
    last = (leftOut.text, time)
    reasons[leftOut.stage] = leftOut.reason
  }

  /// Why a stage, or else one below it, has left out a value last.
  public func reason(of stage: StageDescription) -> String? {
    if let reason = reasons[stage.text.excerpt(200)] { return reason }
    return stage.branches.lazy.joined().lazy.compactMap { self.reason(of: $0) }.first
  }
}
