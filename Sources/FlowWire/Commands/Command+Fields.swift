/// The text of a pipeline and where it stands in its line; the wire does not look inside.
public struct Expression: Hashable, Sendable {
  /// The text, without blanks around it.
  public var text: String
  /// The place of its first character, counting characters of the line from 1, the tag included.
  public var column: Int

  /// Makes an expression found at `column`.
  public init(_ text: String, column: Int = 1) {
    self.text = text
    self.column = column
  }
}

extension Expression {
  /// Whether a server would read `text` as one expression, and not as more words.
  public static func isWhole(_ text: String) -> Bool {
    guard let line = try? TaggedCommand("SUB \(text) max"),
      case .subscribe(let expression, .unlimited, _, _, _) = line.command
    else { return false }
    return expression.text == text
  }
}

extension Expression {
  /// The range of the expression in the characters of a line that is still being typed; `nil` if the line
  /// has not reached one.
  public static func range(inUnfinished line: String) -> Range<Int>? {
    var line = line
    return line.withUTF8 { bytes in
      var fields = unsafe FieldReader(UnsafeRawBufferPointer(bytes))
      fields.skipBlanks()
      if fields.next == .at {
        fields.skipWord()
        fields.skipBlanks()
      }
      guard let verb = unsafe Verb(fields.word()) else { return nil }
      var arguments = ArgumentReader(verb, fields)
      return arguments.unfinishedExpression().map { range in
        fields.column(of: range.lowerBound) - 1..<fields.column(of: range.upperBound) - 1
      }
    }
  }
}

extension Expression: CustomStringConvertible {
  public var description: String { text }
}

/// What `LIST` can list.
public enum ListKind: String, Sendable, CaseIterable {
  case subjects, pipelines, runs, services, streams, clients
}

/// What happens to values that a publisher sends beyond its grant.
public enum OverflowRule: String, Sendable, CaseIterable {
  /// They wait in the inbox; when it is full the connection is not read.
  case hold
  /// The publication is cancelled with `overrun`.
  case cancel
  /// They are dropped, counted and reported.
  case drop
}

/// What stands in a `REQ`: the Reactive Streams rule 3.9 makes a wrong number the stream's failure.
public enum RequestCount: Hashable, Sendable {
  /// So many values more; past 2^63−1 it is unlimited.
  case demand(Demand)
  /// Zero or a negative number, as it was written: that stream fails with `bad-demand`.
  case refusedDemand(String)
}

/// Which stream or subject a command is about.
public enum Target: Hashable, Sendable {
  /// A stream of this connection.
  case stream(StreamID)
  /// A subject, or the one stream that is on this name.
  case name(String)
}

extension Target: CustomStringConvertible {
  /// The id or the name, as it stands on the wire.
  public var description: String {
    switch self {
    case .stream(let id): id.description
    case .name(let name): name
    }
  }
}

/// A stream of any connection, as `CLIENT.ID`.
public struct StreamPlace: Hashable, Sendable, CustomStringConvertible {
  /// The number of the connection in `LIST clients`.
  public var client: Int
  /// The stream's number there.
  public var id: StreamID

  /// Makes the place of a stream.
  public init(client: Int, id: StreamID) {
    self.client = client
    self.id = id
  }

  /// Reads `7.1`.
  public init?(_ text: Substring) {
    let parts = text.utf8.split(separator: .dot, omittingEmptySubsequences: false)
    guard parts.count == 2, let client = UInt64(decimal: parts[0]).flatMap(Int.init(exactly:)),
      let id = UInt64(decimal: parts[1]), id <= StreamID.largest
    else { return nil }
    self.init(client: client, id: StreamID(rawValue: id))
  }

  /// `CLIENT.ID`.
  public var description: String { "\(client).\(id)" }
}

/// What `KILL` ends.
public enum Victim: Hashable, Sendable {
  /// A connection, by its number in `LIST clients`.
  case client(Int)
  /// A stream of the connection with that number.
  case stream(client: Int, StreamID)
  /// All that is open on a name.
  case name(String)
}
