/// The subject at which a pulled value is acknowledged; it names the stream and the consumer.
///
/// Its form is `$JS.ACK.STREAM.CONSUMER.DELIVERED.STREAMSEQ.CONSUMERSEQ.TIME.PENDING`. A domain and
/// an account may precede STREAM, and further tokens may follow PENDING.
package struct AckSubject: Equatable, Sendable {
  package var stream: Range<Int>
  package var consumer: Range<Int>
  /// The value's sequence in the stream.
  package var sequence: UInt64
  /// How many more values match the consumer.
  package var pending: UInt64

  /// Parses the subject at `range`; nil if it is another one.
  package init?(_ buffer: UnsafeRawBufferPointer, _ range: Range<Int>) {
    guard range.count > 8, unsafe isEqual(part(buffer, range.prefix(8)), "$JS.ACK.") else {
      return nil
    }
    // Seven tokens follow, or nine and maybe more.
    var tokens: [Range<Int>] = []
    tokens.reserveCapacity(10)
    var start = range.lowerBound + 8
    for place in start..<range.upperBound where unsafe buffer[place] == 0x2E {
      tokens.append(start..<place)
      start = place + 1
    }
    tokens.append(start..<range.upperBound)
    let first = tokens.count == 7 ? 0 : 2
    guard tokens.count == 7 || tokens.count >= 9,
      let sequence = unsafe UInt64(digits: part(buffer, tokens[first + 3]))?.asPlace,
      let pending = unsafe UInt64(digits: part(buffer, tokens[first + 6]))
    else { return nil }
    stream = tokens[first]
    consumer = tokens[first + 1]
    self.sequence = sequence
    self.pending = UInt64(pending.asCount)
  }
}
