extension JournalState {
  /// Values that lie in one segment.
  package struct Extent: Equatable, Sendable {
    package var header: SegmentHeader
    package var file: String
    package var subject: UInt32
    package var first: UInt64
    package var count: Int
    /// The offset behind the segment's last batch.
    package var end: Int
    /// Where the records begin; empty if the segment's footer has it.
    package var offsets: [Int]
  }

  package enum ReadPlan: Equatable, Sendable {
    /// There is nothing at this sequence or after it.
    case nothing
    case kept([Catalog.KeptValue])
    /// Values that were trimmed or lost.
    case gap(ClosedRange<UInt64>)
    case read(Extent)
  }

  /// Plans to read at most `count` values of `subject` from `sequence` on.
  ///
  /// The segment of an extent stays as it is until `endReading`.
  package mutating func planRead(
    _ subject: UInt32,
    from sequence: UInt64,
    count: Int
  ) -> ReadPlan {
    guard let known = catalog.definitions[subject], sequence < known.next else { return .nothing }
    if known.keeps > 0 {
      let kept = known.kept.filter { $0.sequence >= sequence }
      guard let first = kept.first?.sequence else { return .nothing }
      return first > sequence ? .gap(sequence...first - 1) : .kept(Array(kept.prefix(count)))
    }
    guard let run = index.run(of: subject, from: sequence) else {
      return .gap(sequence...known.next - 1)
    }
    guard run.first == sequence else { return .gap(sequence...run.first - 1) }
    guard let segment = segments[run.segment] else {
      preconditionFailure("the index names segment \(run.segment), which is unknown")
    }
    segments[run.segment]?.readers += 1
    let count = min(count, Int(run.count))
    return .read(
      Extent(
        header: segment.header,
        file: segment.file,
        subject: subject,
        first: sequence,
        count: count,
        end: segment.end,
        offsets: index.open[run.segment]?
          .offsets(of: subject, from: sequence, count: count) ?? []
      )
    )
  }

  /// Ends a read; returns whether the housekeeping thread may have waited for it.
  package mutating func endReading(_ number: UInt64) -> Bool {
    segments[UInt32(number)]?.readers -= 1
    return segments[UInt32(number)]?.live == 0
  }
}
