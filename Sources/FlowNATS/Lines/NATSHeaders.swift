/// The headers of a message that Flow uses; ranges are offsets in the buffer.
package struct NATSHeaders: Equatable, Sendable {
  /// `NATS/1.0 CODE TEXT`: a status from the server instead of a message.
  package struct Status: Equatable, Sendable {
    package var code: Int
    package var text: String

    package init(_ code: Int, _ text: String) {
      self.code = code
      self.text = text
    }
  }

  package var status: Status?
  /// `Nats-Msg-Id`, by which NATS recognizes repetitions.
  package var messageID: Range<Int>?
  /// `Nats-Batch-Id`: the batch that the message was published in.
  package var batchID: Range<Int>?
  /// `Nats-Pending-Messages`: how many of a pull's values will not come.
  package var pendingMessages: Int?
  /// `Flow-Id`: whether a Flow server made the message id.
  package var isOfFlow = false
  /// `Flow-End`: how the subject ended.
  package var end: Range<Int>?

  /// Parses the headers at `range`; ignores malformed and unknown ones.
  package init(_ buffer: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var place = range.lowerBound
    var isFirst = true
    while place < range.upperBound {
      var end = place
      while end < range.upperBound, unsafe buffer[end] != .lineFeed { end += 1 }
      var line = place..<end
      if !line.isEmpty, unsafe buffer[end - 1] == .carriageReturn { line = place..<end - 1 }
      if isFirst { unsafe readStatus(buffer, line) } else { unsafe readField(buffer, line) }
      isFirst = false
      place = end + 1
    }
  }

  private mutating func readStatus(_ buffer: UnsafeRawBufferPointer, _ line: Range<Int>) {
    let words = unsafe text(part(buffer, line)).split(separator: " ", maxSplits: 2)
    guard words.count > 1, let code = Int(words[1]) else { return }
    status = Status(code, words.count > 2 ? String(words[2]) : "")
  }

  private mutating func readField(_ buffer: UnsafeRawBufferPointer, _ line: Range<Int>) {
    guard let colon = unsafe buffer[line].firstIndex(of: 0x3A) else { return }
    let name = unsafe part(buffer, line.lowerBound..<colon)
    var value = colon + 1..<line.upperBound
    while !value.isEmpty, unsafe buffer[value.lowerBound].isBlank {
      value = value.lowerBound + 1..<value.upperBound
    }
    while !value.isEmpty, unsafe buffer[value.upperBound - 1].isBlank {
      value = value.lowerBound..<value.upperBound - 1
    }
    if unsafe isVerb(name, "nats-msg-id") {
      messageID = value
    } else if unsafe isVerb(name, "nats-batch-id") {
      batchID = value
    } else if unsafe isVerb(name, "nats-pending-messages") {
      pendingMessages = unsafe UInt64(digits: part(buffer, value))?.asCount
    } else if unsafe isVerb(name, "flow-id") {
      isOfFlow = true
    } else if unsafe isVerb(name, "flow-end") {
      end = value
    }
  }
}
