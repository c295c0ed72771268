/// A value that a stage leaves out since its closure has no answer for it.
///
/// The stream goes on as if the value had not come, except that its host is told.
public struct LeftOut: Sendable {
  /// The value.
  public let value: Value
  /// The stage as written.
  public let stage: String
  /// Why there is no answer, in words.
  public let reason: String

  /// What a failure with the same cause would say.
  public var text: String { "\(stage): \(reason); the value is \(value.excerpt())" }
}

/// Why a closure without `try` has no answer for a value.
final class NoAnswer: Sendable {
  /// The stage as written.
  let stage: String
  let reason: String

  init(stage: String, reason: String) {
    self.stage = stage
    self.reason = reason
  }
}

extension PipelineFailure {
  /// `value` as the stage leaves it out, if this failure is about that value alone; nil ends the stream.
  func leftOut(_ value: Value) -> LeftOut? {
    noAnswer.map { LeftOut(value: value, stage: $0.stage, reason: $0.reason) }
  }
}
