/// What stands next in a connection's input, as places in the buffer; nothing is copied.
@frozen
public enum Frame: Hashable, Sendable {
  /// The buffer ends before the frame does.
  case incomplete

  /// A line without its line end; blank lines and `#` lines too, see `TaggedCommand.isIgnorable`.
  case line(Range<Int>)

  /// A well-formed `SEND NAME TEXT` without a tag, ready to be looked up.
  case send(name: Range<Int>, value: Range<Int>)

  /// A value of a stream: `= ID TEXT`, or `: ID LEN` and its bytes.
  case value(id: UInt64, payload: Range<Int>)

  /// A value of a call: `= 5.17 TEXT`, or `: 5.17 LEN` and its bytes.
  case callValue(StreamID, payload: Range<Int>)

  /// One frame was refused and is skipped, of which `start` is the place of the first byte; the next
  /// call goes on behind it.
  case refused(WireError, start: Int)

  /// There is no telling where the next frame begins: the connection must end.
  case broken(WireError)
}
