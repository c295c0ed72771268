public import FlowCore

/// What one running pipeline holds, and may hold at most: octets of values, and the publishers that
/// its `flatMap`s have open.
///
/// Used where the clock runs, as all of a running pipeline is. A host's context may be one itself.
open class Holdings: _ChildCount {
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
  final var refusalOfInner: PipelineFailure? {
    guard open >= innerLimit else { return nil }
    return .limit("the flatMaps have \(open) publishers open, no more may be")
  }

  /// Counts the octets of a value that waits; throws if there are too many.
  final func hold(_ count: Int, in stage: String) throws(PipelineFailure) {
    guard hasRoom(for: count) else {
      throw .limit("\(stage) would make it hold more than \(octetLimit) octets")
    }
    octets += count
  }

  /// Whether so many octets more may wait.
  final func hasRoom(for count: Int) -> Bool { octets + count <= octetLimit }

  final func release(_ count: Int) { octets -= count }
}

extension PipelineFailure {
  fileprivate static func limit(_ text: String) -> PipelineFailure {
    PipelineFailure(code: "limit", message: text)
  }
}
