/// A line of the server other than a value.
public enum ServerLine: Hashable, Sendable {
  /// `HI flow/VERSION proto=1 …` is the first line of a connection.
  case greeting(Greeting)
  /// `OK VERB FIELDS…` answers a command.
  case ok(Answer)
  /// `ERR CODE TEXT` refuses a command; streams and connection continue.
  case error(code: String, text: String)
  /// `PONG [TEXT]` answers `PING`.
  case pong(String?)
  /// `* FIELDS…` is a row before the answer.
  case row(String)
  /// `# TEXT` is for people.
  case note(String)

  /// `DONE ID` says that a stream's publisher finished.
  case done(StreamID)
  /// `FAIL ID CODE TEXT` says that a stream failed.
  case fail(StreamID, code: String, text: String)
  /// `DROP ID COUNT REASON` counts values that the stream missed.
  case drop(StreamID, count: UInt64, reason: String)
  /// `REQ ID N|max` grants more values on a publication.
  case request(StreamID, Demand)
  /// `CANCEL ID [REASON]` ends a publication.
  case cancel(StreamID, reason: String? = nil)

  /// `DRAIN SECONDS` announces that the server will stop.
  case drain(seconds: UInt64)
  /// `BYE CODE TEXT` is the last line.
  case bye(code: String, text: String)
}

public struct TaggedServerLine: Hashable, Sendable {
  /// The tag without its `@`; `!` for an error that answers no command.
  public var tag: String?
  public var line: ServerLine

  public init(tag: String? = nil, _ line: ServerLine) {
    self.tag = tag
    self.line = line
  }
}
