/// A value and where its record begins.
package struct ValuePlace: Equatable, Sendable {
  package var subject: UInt32
  /// The offset divided by 8, in a frame or in a segment.
  package var offset: UInt32
  package var sequence: UInt64

  package init(subject: UInt32, sequence: UInt64, offset: Int) {
    self.subject = subject
    self.sequence = sequence
    self.offset = UInt32(offset / 8)
  }
}

extension [ValuePlace] {
  /// The values as runs of one subject with sequences that follow one another.
  var groups: some Sequence<ArraySlice<ValuePlace>> {
    sequence(state: 0) { start -> ArraySlice<ValuePlace>? in
      guard start < count else { return nil }
      var end = start + 1
      while end < count, self[end].subject == self[start].subject,
        self[end].sequence == self[end - 1].sequence &+ 1
      {
        end += 1
      }
      defer { start = end }
      return self[start..<end]
    }
  }
}
