import FlowCore

/// What one running pipeline holds, and may hold at most.
///
/// Used where the clock runs, as all of a running pipeline is.
public final class Holdings {
  /// The publishers that its `flatMap`s have open.
  let inner = _ChildCount()

  private let octetLimit: Int
  private let innerLimit: Int
  private var octets = 0

  /// Makes empty holdings.
  ///
  /// - Parameters:
  ///   - octets: the most octets of values that may wait in buffers and delays.
  ///   - innerPublishers: the most publishers that all `flatMap`s may have open.
  public init(octets: Int = 64 << 20, innerPublishers: Int = 100_000) {
    octetLimit = octets
    innerLimit = innerPublishers
  }

  /// Why no inner publisher may be opened now, if that is so.
  var refusalOfInner: PipelineFailure? {
    guard inner.open >= innerLimit else { return nil }
    return .limit("the flatMaps have \(inner.open) publishers open, no more may be")
  }

  /// Counts the octets of a value that waits; throws if there are too many.
  func hold(_ count: Int, in stage: String) throws(PipelineFailure) {
    guard hasRoom(for: count) else {
      throw .limit("\(stage) would make it hold more than \(octetLimit) octets")
    }
    octets += count
  }

  /// Whether so many octets more may wait.
  func hasRoom(for count: Int) -> Bool { octets + count <= octetLimit }

  func release(_ count: Int) { octets -= count }
}

extension PipelineFailure {
  fileprivate static func limit(_ text: String) -> PipelineFailure {
    PipelineFailure(code: "limit", message: text)
  }
}
