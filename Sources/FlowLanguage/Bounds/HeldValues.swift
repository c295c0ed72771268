import FlowCore

/// Counts the values inside a stage that holds some, on their way in and out.
///
/// One stands around each subscription of the stage; what is inside when it ends is given back.
final class HeldValues {
  private let holdings: Holdings
  private let stage: String
  private var octets = 0

  /// Makes `upstream` into what `hold` makes of it, with the values inside counted.
  static func around(
    _ upstream: Stream,
    stage: String,
    in context: any PipelineContext,
    _ hold: @escaping (Stream, HeldValues) -> Stream
  ) -> Stream {
    let held = HeldValues(context.holdings, stage: stage)
    let takes = { (octets: Int) in context.holdings.hasRoom(for: size(ofText: octets)) }
    return Bypass(upstream: upstream, held: held, takes: takes) { hold($0, held) }
      .eraseToAnyPublisher()
  }

  private init(_ holdings: Holdings, stage: String) {
    self.holdings = holdings
    self.stage = stage
  }

  deinit { clear() }

  /// A value comes in; throws if there is no place for it.
  func enter(_ value: Value) throws(PipelineFailure) {
    let size = Self.size(value)
    try holdings.hold(size, in: stage)
    octets += size
  }

  /// A value has gone out, or has been dropped.
  func leave(_ value: Value) {
    let size = min(octets, Self.size(value))
    holdings.release(size)
    octets -= size
  }

  /// Nothing is inside any more.
  func clear() {
    holdings.release(octets)
    octets = 0
  }

  /// About what a value takes in memory.
  private static func size(_ value: Value) -> Int {
    switch value {
    case .null, .bool, .int, .double: 32
    default: size(ofText: value.withOctets(\.count))
    }
  }

  private static func size(ofText octets: Int) -> Int { 64 + octets }
}
