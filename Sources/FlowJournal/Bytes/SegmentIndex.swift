/// Where the values of a segment are: runs of consecutive sequences of one subject.
///
/// It is derived from the records and proves nothing: a reader checks the record that it finds.
package struct SegmentIndex: Equatable, Sendable {
  package struct Run: Equatable, Sendable {
    package var subject: UInt32
    package var first: UInt64
    package var count: UInt32
    /// Where the run's offsets begin in the encoded offsets.
    var place: UInt32
  }

  static let runSize = 24

  /// Sorted by subject, then by sequence.
  package private(set) var runs: [Run] = []
  /// For each run the offset of its first record divided by 8, then the distances, as varints.
  private(set) var offsets: [UInt8] = []

  init() {}

  init(runs: [Run], offsets: [UInt8]) {
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
    var previous: ValuePlace?
    for place in sorted {
      if let previous, previous.subject == place.subject, previous.sequence == place.sequence {
        continue
      }
      if let previous, previous.subject == place.subject,
        previous.sequence + 1 == place.sequence, place.offset > previous.offset
      {
        runs[runs.count - 1].count += 1
        Varint.append(place.offset - previous.offset, to: &offsets)
      } else {
        let start = UInt32(offsets.count)
        runs.append(Run(subject: place.subject, first: place.sequence, count: 1, place: start))
        Varint.append(place.offset, to: &offsets)
      }
      previous = place
    }
  }

  /// The memory that the index takes, about.
  var cost: Int { runs.count * Self.runSize + offsets.count + 64 }

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

  /// The runs of one subject.
  func runs(of subject: UInt32) -> ArraySlice<Run> {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].subject < subject { low = middle + 1 } else { high = middle }
    }
    var end = low
    while end < runs.count, runs[end].subject == subject { end += 1 }
    return runs[low..<end]
  }

  /// Returns the offsets of at most `count` values from `sequence` on, as far as its run goes.
  ///
  /// Nil if the segment has no such value or the offsets do not make sense.
  package func offsets(of subject: UInt32, from sequence: UInt64, count: Int) -> [Int]? {
    guard let run = run(of: subject, at: sequence) else { return nil }
    var place = Int(run.place)
    let skipped = Int(sequence - run.first)
    let last = min(Int(run.count), skipped + count)
    var offset: UInt64 = 0
    var found: [Int] = []
    for index in 0..<last {
      guard let step = Varint.read(offsets[...], at: &place) else { return nil }
      offset += UInt64(step)
      if index >= skipped { found.append(Int(offset) * 8) }
    }
    return found
  }

  /// All values.
  var places: [ValuePlace] {
    runs.flatMap { run -> [ValuePlace] in
      let offsets = offsets(of: run.subject, from: run.first, count: Int(run.count)) ?? []
      return offsets.enumerated().map { index, offset in
        ValuePlace(subject: run.subject, sequence: run.first + UInt64(index), offset: offset)
      }
    }
  }
}
