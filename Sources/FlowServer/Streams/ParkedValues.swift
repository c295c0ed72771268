internal import FlowCore
internal import FlowLanguage

/// Values of a stream that found its window full.
///
/// They were requested when they were expected to be smaller, or before other streams filled the
/// connection. They are charged to the connection and go out in order, followed by the stream's
/// end.
final class ParkedValues {
  private var values = Fifo<Value>()
  private(set) var bytes = 0
  /// The end that follows the values.
  var end: Subscribers.Completion<PipelineFailure>?

  /// Answers the client before any value; until then nothing goes out.
  var sayFirst: (() -> Void)?

  /// Whether the stream closes silently after the values.
  var areLast = false

  var count: Int { values.count }

  /// Whether the next value needs a turn of its own.
  var nextIsLarge: Bool { values.first?.isLarge ?? false }

  func append(_ value: Value) {
    values.append(value)
    bytes += value.footprint
  }

  func popFirst() -> Value? {
    let value = values.popFirst()
    bytes -= value?.footprint ?? 0
    return value
  }
}
