/// The next frame of a connection's input, as ranges of the buffer; nothing is copied.
@frozen
public enum Frame: Hashable, Sendable {
  /// The buffer ends before the frame.
  case incomplete

  /// A line without its line end, also a blank one or `#` (see `TaggedCommand.isIgnorable`).
  case line(Range<Int>)

  /// A well-formed `SEND NAME TEXT` without a tag; the name is not looked up yet.
  case send(name: Range<Int>, value: Range<Int>)

  /// A value of a stream: `= ID TEXT`, or `: ID LEN` and its bytes.
  case value(id: UInt64, payload: Range<Int>)

  /// A value of a call: `= 5.17 TEXT`, or `: 5.17 LEN` and its bytes.
  case callValue(StreamID, payload: Range<Int>)

  /// A frame that was refused and is skipped; `start` is the place of its first byte.
  case refused(WireError, start: Int)

  /// The next frame cannot be found; the connection must end.
  case broken(WireError)
}
