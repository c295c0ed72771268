/// A value that a stage leaves out since its closure has no answer for it.
///
/// The stream goes on as if the value had not come, except that its host is told.
public struct LeftOut: Sendable {
  /// The value.
  public let value: Value
  /// The stage as written, or the beginning of a long one.
  public let stage: String
  /// Why there is no answer, in words.
  public let reason: String

  /// What is sent as a dead letter, with only the beginning of a value that would make it longer than
  /// `limit` bytes, as a text; nil if that is too long as well.
  public func letter(atMost limit: Int) -> Value? {
    let whole = letter(cut: false)
    if unsafe whole.withBytes({ $0.count <= limit }) { return whole }
    let beginning = letter(cut: true)
    return unsafe beginning.withBytes({ $0.count <= limit }) ? beginning : nil
  }

  private func letter(cut: Bool) -> Value {
    .object(
      JSONObject(members: [
        .init(key: "value", value: cut ? .string(value.excerpt()) : value),
        .init(key: "stage", value: .string(stage)), .init(key: "reason", value: .string(reason)),
      ])
    )
  }

  /// What a failure with the same cause would say.
  public var text: String { "\(stage): \(reason); the value is \(value.excerpt())" }
}

/// Why a closure has no answer for a value.
final class NoAnswer: Sendable {
  /// The stage as written, or the beginning of a long one.
  let stage: String
  let reason: String
  /// The value, or those that the closure was given; nil if it is not at hand.
  let value: Value?
  /// Whether the stage leaves out such values, and goes on.
  let isLeftOut: Bool

  init(stage: String, reason: String, value: Value?, isLeftOut: Bool) {
    self.stage = stage
    self.reason = reason
    self.value = value
    self.isLeftOut = isLeftOut
  }
}

extension PipelineFailure {
  /// Why a closure has no answer for a value, if that is all: a stage that sees it leaves the value out.
  var noAnswer: NoAnswer? { cause?.isLeftOut == true ? cause : nil }

  /// The value that a stage with `try` has failed on, if it was one that its closure has no answer for.
  public var failedOn: LeftOut? {
    cause.flatMap { cause in
      cause.value.map { LeftOut(value: $0, stage: cause.stage, reason: cause.reason) }
    }
  }

  /// `value` as the stage leaves it out, if this failure is about that value alone; nil ends the stream.
  func leftOut(_ value: Value) -> LeftOut? {
    noAnswer.map { LeftOut(value: value, stage: $0.stage, reason: $0.reason) }
  }
}
