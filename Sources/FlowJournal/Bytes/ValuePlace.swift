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
