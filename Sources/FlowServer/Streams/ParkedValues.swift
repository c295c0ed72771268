internal import FlowCore
internal import FlowLanguage

/// Values of a stream for which there is no room in its window: they were asked for when they were
/// thought to be smaller, or before others filled the connection.
///
/// They are charged to the connection, go out in order as soon as its peer has read, and the end of
/// the stream waits behind them.
final class ParkedValues {
  private var values = Fifo<Value>()
  private(set) var bytes = 0
  /// How the stream ends when all have gone out.
  var end: Subscribers.Completion<PipelineFailure>?

  /// Says what is to be said before anything of the stream; until then nothing goes out.
  var sayFirst: (() -> Void)?

  /// Whether the stream goes without a word when all have gone out.
  var areLast = false

  var count: Int { values.count }

  /// Whether the next value is so large that it takes a turn of its own.
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
