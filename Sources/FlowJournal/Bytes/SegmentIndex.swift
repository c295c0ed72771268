/// Where the values of a segment are: runs of consecutive sequences of one subject.
///
/// It is derived from the records and proves nothing: a reader checks the record that it finds.
package struct SegmentIndex: Equatable, Sendable {
  package struct Run: Equatable, Sendable {
    package var subject: UInt32
    package var first: UInt64
    package var count: UInt32
    /// The place of its first offset among all offsets.
    var place: UInt32
  }

  static let runSize = 24

  /// Sorted by subject, then by sequence.
  package private(set) var runs: [Run] = []
  /// Where the records begin, divided by 8.
  private(set) var offsets: [UInt32] = []

  init(runs: [Run], offsets: [UInt32]) {
    self.runs = runs
    self.offsets = offsets
  }

  /// Makes the index of values in any order.
  ///
  /// Of two values with one sequence, as after damage, the one that stands first counts.
  package init(_ places: [ValuePlace]) {
    let sorted = places.sorted { left, right in
      (left.subject, left.sequence, left.offset) < (right.subject, right.sequence, right.offset)
    }
    offsets.reserveCapacity(sorted.count)
    for place in sorted {
      if let last = runs.last, last.subject == place.subject {
        let end = last.first + UInt64(last.count)
        if place.sequence < end { continue }
        if place.sequence == end {
          runs[runs.count - 1].count += 1
          offsets.append(place.offset)
          continue
        }
      }
      let start = UInt32(offsets.count)
      runs.append(Run(subject: place.subject, first: place.sequence, count: 1, place: start))
      offsets.append(place.offset)
    }
  }

  /// The memory that the index takes, about.
  var cost: Int { runs.count * Self.runSize + offsets.count * 4 + 64 }

  /// Returns the run of `subject` that holds `sequence`.
  package func run(of subject: UInt32, at sequence: UInt64) -> Run? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      let isBehind = (runs[middle].subject, runs[middle].first) > (subject, sequence)
      if isBehind { high = middle } else { low = middle + 1 }
    }
    guard low > 0 else { return nil }
    let run = runs[low - 1]
    guard run.subject == subject, sequence - run.first < UInt64(run.count) else { return nil }
    return run
  }

  /// Returns the offsets of at most `count` values from `sequence` on, as far as its run goes.
  ///
  /// Empty if the segment has no such value.
  package func offsets(of subject: UInt32, from sequence: UInt64, count: Int) -> [Int] {
    guard let run = run(of: subject, at: sequence) else { return [] }
    let start = Int(run.place) + Int(sequence - run.first)
    let end = min(Int(run.place) + Int(run.count), start + count, offsets.count)
    return start < end ? offsets[start..<end].map { Int($0) * 8 } : []
  }
}
