/// What the server says, apart from values.
public enum ServerLine: Hashable, Sendable {
  /// `HI flow/VERSION proto=1 …` once, when the connection begins.
  case greeting(Greeting)
  /// `OK VERB FIELDS…` the one answer of a command.
  case ok(Answer)
  /// `ERR CODE TEXT` refuses a command; everything else lives on.
  case error(code: String, text: String)
  /// `PONG [TEXT]` answers `PING`.
  case pong(String?)
  /// `* FIELDS…` is a row of the answer that follows.
  case row(String)
  /// `# TEXT` is for people.
  case note(String)

  /// `DONE ID` says that a stream's publisher finished.
  case done(StreamID)
  /// `FAIL ID CODE TEXT` says that a stream failed.
  case fail(StreamID, code: String, text: String)
  /// `DROP ID COUNT REASON` counts values that the stream did not get.
  case drop(StreamID, count: UInt64, reason: String)
  /// `REQ ID N|max` allows so many values more on a publication.
  case request(StreamID, Demand)
  /// `CANCEL ID [REASON]` ends a publication.
  case cancel(StreamID, reason: String? = nil)

  /// `DRAIN SECONDS` says that the server is going away and when.
  case drain(seconds: UInt64)
  /// `BYE CODE TEXT` is the last line.
  case bye(code: String, text: String)
}

/// A line of the server with the tag of the command that it belongs to.
public struct TaggedServerLine: Hashable, Sendable {
  /// What stood behind the `@`; `!` for an error that is no command's answer.
  public var tag: String?
  /// What is said.
  public var line: ServerLine

  /// Puts a tag before a line.
  public init(tag: String? = nil, _ line: ServerLine) {
    self.tag = tag
    self.line = line
  }
}
