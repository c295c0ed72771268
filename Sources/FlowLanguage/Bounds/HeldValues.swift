/// Counts the values inside a stage that holds some, on their way in and out.
///
/// One stands around each subscription of the stage; what is inside when it ends is given back.
final class HeldValues {
  /// A stage that holds values.
  enum Stage: String {
    case buffer, delay
  }

  private let holdings: Holdings
  private var octets = 0
  private let stage: Stage

  init(of stage: Stage, in holdings: Holdings) {
    self.holdings = holdings
    self.stage = stage
  }

  deinit { clear() }

  /// Whether there is a place for a value of so many octets.
  func hasRoom(for count: Int) -> Bool { holdings.hasRoom(for: Self.size(ofText: count)) }

  /// A value comes in; throws if there is no place for it.
  func enter(_ value: Value) throws(PipelineFailure) {
    let size = Self.size(value)
    try holdings.hold(size, in: stage.rawValue)
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
