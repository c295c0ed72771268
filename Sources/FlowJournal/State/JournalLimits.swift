/// The sizes of a journal.
package struct JournalLimits: Equatable, Sendable {
  /// The size of a segment in bytes; a journal that exists keeps its own.
  package var segmentSize = 64 << 20
  /// The bytes of a batch after which records must wait for the next one.
  package var batchBytes = 4 << 20
  /// The most segments that may exist, spare ones included.
  package var segments = 1024
  /// The spare segments that values may not use: one for control records, one for copying.
  package var reserve = 2
  /// The spare segments that are made ahead of need.
  package var spares = 3
  /// The spare segments that are kept when segments become free.
  package var mostSpares = 6
  /// The bytes of one part of a checkpoint, about.
  package var partBytes = 256 << 10
  /// The memory for indexes of sealed segments, in bytes.
  package var indexBytes = 8 << 20

  package init() {}

  /// The limits for segments of this size: several batches fit into each.
  func fitted(to size: Int) -> JournalLimits {
    var limits = self
    limits.segmentSize = size
    limits.batchBytes = min(batchBytes, (size - SegmentHeader.size) / 4)
    limits.partBytes = min(partBytes, limits.batchBytes)
    return limits
  }
}
