/// The text of a pipeline and its column in the line; FlowWire does not parse it.
public struct Expression: Hashable, Sendable {
  /// The text, without blanks around it.
  public var text: String
  /// The column of its first character, counted in characters from 1, the tag included.
  public var column: Int

  public init(_ text: String, column: Int = 1) {
    self.text = text
    self.column = column
  }
}

extension Expression {
  /// Whether a server would read `text` as one expression rather than several words.
  public static func isWhole(_ text: String) -> Bool {
    guard let line = try? TaggedCommand("SUB \(text) max"),
      case .subscribe(let expression, .unlimited, _, _, _) = line.command
    else { return false }
    return expression.text == text
  }
}

extension Expression {
  /// The range of the expression in the characters of an unfinished line; `nil` before an
  /// expression begins.
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

public enum ListKind: String, Sendable, CaseIterable {
  case subjects, pipelines, runs, services, streams, clients
}

/// How a publication treats values beyond its granted demand.
public enum OverflowRule: String, Sendable, CaseIterable {
  /// Keeps them in the inbox; when it is full, the connection is not read.
  case hold
  /// Cancels the publication with `overrun`.
  case cancel
  /// Drops, counts and reports them.
  case drop
}

/// The count of a `REQ`; a wrong number fails the stream, as Reactive Streams rule 3.9 requires.
public enum RequestCount: Hashable, Sendable {
  /// A number above zero; past 2^63−1 it is unlimited.
  case demand(Demand)
  /// Zero or a negative number, as the client wrote it: the stream fails with `bad-demand`.
  case refusedDemand(String)
}

public enum Target: Hashable, Sendable {
  case stream(StreamID)
  /// A subject, or the only stream of this connection on this name.
  case name(String)
}

extension Target: CustomStringConvertible {
  public var description: String {
    switch self {
    case .stream(let id): id.description
    case .name(let name): name
    }
  }
}

/// A stream of any connection, as `CLIENT.ID`.
public struct StreamPlace: Hashable, Sendable, CustomStringConvertible {
  public var client: Int
  public var id: StreamID

  public init(client: Int, id: StreamID) {
    self.client = client
    self.id = id
  }

  /// Reads `CLIENT.ID`, such as `7.1`.
  public init?(_ text: Substring) {
    let parts = text.utf8.split(separator: .dot, omittingEmptySubsequences: false)
    guard parts.count == 2, let client = UInt64(decimal: parts[0]).flatMap(Int.init(exactly:)),
      let id = UInt64(decimal: parts[1]), id <= StreamID.largest
    else { return nil }
    self.init(client: client, id: StreamID(rawValue: id))
  }

  public var description: String { "\(client).\(id)" }
}

public enum Victim: Hashable, Sendable {
  /// A connection, by its number in `LIST clients`.
  case client(Int)
  /// A stream, with the number of its connection.
  case stream(client: Int, StreamID)
  /// Every stream on a name.
  case name(String)
}
