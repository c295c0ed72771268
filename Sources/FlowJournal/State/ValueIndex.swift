/// Where the values on disk are: for each subject its runs in the order of their sequences.
///
/// A run takes 16 bytes, for each pair of a segment and a subject. The offsets of a sealed segment
/// are in its footer, those of the others in memory.
package struct ValueIndex: Sendable {
  package struct Run: Equatable, Sendable {
    package var first: UInt64
    package var segment: UInt32
    package var count: UInt32

    /// The sequence behind the last one.
    package var end: UInt64 { first + UInt64(count) }
  }

  private(set) var runs: [UInt32: [Run]] = [:]
  /// The segments without a footer on disk.
  private(set) var open: [UInt32: OpenIndex] = [:]

  init(runs: [UInt32: [Run]] = [:], open: [UInt32: OpenIndex] = [:]) {
    self.runs = runs
    self.open = open
  }

  mutating func begin(_ segment: UInt32) { open[segment] = OpenIndex() }

  /// Forgets the offsets of a segment whose footer is on disk.
  mutating func close(_ segment: UInt32) { open[segment] = nil }

  /// Adds values of one subject whose sequences follow its last one; `base` is added to offsets.
  mutating func add(_ places: ArraySlice<ValuePlace>, base: UInt32, in segment: UInt32) {
    guard let place = places.first else { return }
    open[segment, default: OpenIndex()].add(places, base: base)
    let new = Run(first: place.sequence, segment: segment, count: UInt32(places.count))
    Self.append(new, to: &runs[place.subject, default: []])
  }

  private static func append(_ run: Run, to list: inout [Run]) {
    if let last = list.last, last.segment == run.segment, last.end == run.first {
      list[list.count - 1].count += run.count
    } else {
      list.append(run)
    }
  }

  /// Removes the values of `subject` before `first`; returns how many each segment loses.
  mutating func trim(_ subject: UInt32, before first: UInt64) -> [UInt32: Int] {
    remove(subject, 0..<first)
  }

  /// Removes all values of `subject`; returns how many each segment loses.
  mutating func remove(_ subject: UInt32) -> [UInt32: Int] {
    remove(subject, 0..<UInt64.max)
  }

  /// Removes the values in a range; returns how many each segment loses.
  mutating func remove(_ subject: UInt32, _ range: Range<UInt64>) -> [UInt32: Int] {
    var removed: [UInt32: Int] = [:]
    var rest: [Run] = []
    for run in runs.removeValue(forKey: subject) ?? [] {
      let start = max(run.first, range.lowerBound)
      let end = min(run.end, range.upperBound)
      guard start < end else {
        rest.append(run)
        continue
      }
      removed[run.segment, default: 0] += Int(end - start)
      if run.first < start {
        rest.append(Run(first: run.first, segment: run.segment, count: UInt32(start - run.first)))
      }
      if end < run.end {
        rest.append(Run(first: end, segment: run.segment, count: UInt32(run.end - end)))
      }
    }
    if !rest.isEmpty { runs[subject] = rest }
    return removed
  }

  /// Puts the values of `copy` in the place of those of the segments `from`.
  ///
  /// - Returns: the number of values in the copy that are still needed.
  mutating func replace(_ from: Set<UInt32>, by segment: UInt32, _ copy: [SegmentIndex.Run]) -> Int
  {
    var live = 0
    var copied: [UInt32: [SegmentIndex.Run]] = [:]
    for run in copy { copied[run.subject, default: []].append(run) }
    for (subject, copies) in copied {
      var list: [Run] = []
      for run in runs[subject] ?? [] {
        guard from.contains(run.segment) else {
          list.append(run)
          continue
        }
        for copy in copies {
          let start = max(run.first, copy.first)
          let end = min(run.end, copy.first + UInt64(copy.count))
          guard start < end else { continue }
          live += Int(end - start)
          let run = Run(first: start, segment: segment, count: UInt32(end - start))
          Self.append(run, to: &list)
        }
      }
      runs[subject] = list.isEmpty ? nil : list
    }
    return live
  }

  /// Returns the values of `subject` in one segment from `sequence` on; if there are none at
  /// `sequence`, those that follow.
  package func run(of subject: UInt32, from sequence: UInt64) -> Run? {
    guard let list = runs[subject] else { return nil }
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].end <= sequence { low = middle + 1 } else { high = middle }
    }
    guard low < list.count else { return nil }
    let run = list[low]
    let first = max(sequence, run.first)
    return Run(first: first, segment: run.segment, count: UInt32(run.end - first))
  }

  /// The values of all subjects in these segments, sorted by subject and sequence.
  func live(in segments: Set<UInt32>) -> [(subject: UInt32, run: Run)] {
    var found: [(subject: UInt32, run: Run)] = []
    for (subject, list) in runs {
      for run in list where segments.contains(run.segment) { found.append((subject, run)) }
    }
    return found.sorted { ($0.subject, $0.run.first) < ($1.subject, $1.run.first) }
  }
}

/// The offsets of a segment whose index is not on disk, 4 bytes each.
package struct OpenIndex: Sendable {
  private struct Run: Sendable {
    var first: UInt64
    var offsets: [UInt32]
  }

  private var runs: [UInt32: [Run]] = [:]
  private(set) var runCount = 0
  private(set) var valueCount = 0

  /// Adds values of one subject with sequences that follow one another.
  mutating func add(_ places: ArraySlice<ValuePlace>, base: UInt32 = 0) {
    guard let subject = places.first?.subject else { return }
    valueCount += places.count
    let known = runs[subject]?.count ?? 0
    Self.append(places, base, to: &runs[subject, default: []])
    runCount += (runs[subject]?.count ?? 0) - known
  }

  private static func append(
    _ places: ArraySlice<ValuePlace>,
    _ base: UInt32,
    to list: inout [Run]
  ) {
    guard let first = places.first?.sequence else { return }
    if list.last.map({ $0.first + UInt64($0.offsets.count) == first }) != true {
      list.append(Run(first: first, offsets: []))
    }
    for place in places { list[list.count - 1].offsets.append(place.offset + base) }
  }

  /// Returns the offsets of at most `count` values from `sequence` on, as far as its run goes.
  func offsets(of subject: UInt32, from sequence: UInt64, count: Int) -> [Int] {
    for run in runs[subject] ?? [] where sequence >= run.first {
      let skipped = Int(clamping: sequence - run.first)
      guard skipped < run.offsets.count else { continue }
      return run.offsets[skipped..<min(run.offsets.count, skipped + count)].map { Int($0) * 8 }
    }
    return []
  }

  func eachRun(_ body: (_ subject: UInt32, _ first: UInt64, _ count: Int) -> Void) {
    for (subject, list) in runs {
      for run in list { body(subject, run.first, run.offsets.count) }
    }
  }

  /// The index as it is written behind the segment's last batch.
  var segmentIndex: SegmentIndex {
    SegmentIndex(
      runs.flatMap { subject, list in
        list.flatMap { run in
          run.offsets.enumerated().map { index, offset in
            ValuePlace(
              subject: subject,
              sequence: run.first + UInt64(index),
              offset: Int(offset) * 8
            )
          }
        }
      }
    )
  }
}
