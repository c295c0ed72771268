private import Spelling

/// A command and the tag that its answer will carry.
public struct TaggedCommand: Hashable, Sendable {
  /// The tag without its `@`.
  public var tag: String?
  public var command: Command

  public init(tag: String? = nil, _ command: Command) {
    self.tag = tag
    self.command = command
  }

  /// Parses a line without its line end; an error carries the tag, if it could be read.
  public init(_ line: UnsafeRawBufferPointer) throws(CommandError) {
    if let plain = unsafe TaggedCommand(plain: line) {
      self = plain
      return
    }
    var fields = unsafe FieldReader(line)
    fields.skipBlanks()
    do {
      tag = try fields.tag()
    } catch {
      throw CommandError(tag: nil, error: error)
    }
    do {
      command = try Command(&fields)
    } catch {
      throw CommandError(tag: tag, error: error)
    }
  }

  /// Parses a signal in the plain spelling that programs use.
  init?(plain line: UnsafeRawBufferPointer) {
    if let request = unsafe PlainRequest(line) {
      self.init(.request(.stream(request.id), .demand(request.demand)))
    } else if let done = unsafe PlainDone(line) {
      self.init(.done(.stream(done.id)))
    } else {
      return nil
    }
  }

  /// Parses a line without its line end.
  public init(_ line: String) throws(CommandError) {
    var line = line
    let result = line.withUTF8 { bytes in
      Result { () throws(CommandError) in unsafe try TaggedCommand(UnsafeRawBufferPointer(bytes)) }
    }
    self = try result.get()
  }

  /// Whether a line has no command: it is blank or begins with `#`.
  @inlinable
  public static func isIgnorable(_ line: UnsafeRawBufferPointer) -> Bool {
    unsafe line.first { !$0.isBlank }.map { $0 == .hash } ?? true
  }
}

/// Why a client's line was refused, and the tag of the answer.
public struct CommandError: Error, Hashable, Sendable {
  /// The tag of the line, if it was well-formed.
  public var tag: String?
  public var error: WireError

  public init(tag: String?, error: WireError) {
    self.tag = tag
    self.error = error
  }
}

extension TaggedCommand {
  /// Returns the tag of a line, if it can be read.
  public static func tag(of line: UnsafeRawBufferPointer) -> String? {
    var fields = unsafe FieldReader(line)
    fields.skipBlanks()
    return (try? fields.tag()) ?? nil
  }
}

extension FieldReader {
  /// Reads `@TAG`, if the line begins with one.
  fileprivate mutating func tag() throws(WireError) -> String? {
    guard next == .at else { return nil }
    let word = unsafe word()
    let name = unsafe word.dropFirst()
    guard unsafe (1...32).contains(name.count), unsafe name.allSatisfy(\.isTag) else {
      throw WireError(
        .usage,
        unsafe "the tag is \(quoted(word)), expected @ and 1 to 32 letters, digits, \".\", \"_\" or \"-\""
      )
    }
    skipBlanks()
    return unsafe String(decoding: name, as: UTF8.self)
  }
}

extension Command {
  fileprivate init(_ fields: inout FieldReader) throws(WireError) {
    let word = unsafe fields.word()
    let verb = unsafe Verb(word)
    if verb != .send { try fields.checkText() }
    guard unsafe !word.isEmpty else { throw WireError(.usage, "the line has a tag but no command") }
    if unsafe word.first == .equals || word.first == .colon {
      throw WireError(.usage, "a value frame must start its line: no tag or space may precede it")
    }
    guard let verb else {
      // No verb resembles a word as long as that, and the line is not checked for UTF-8 yet.
      let text = unsafe word.count > Name.longest ? "" : String(decoding: word, as: UTF8.self)
      let foreign = Verb.meant(by: text).map { $0.line(behind: text, fields.shownWords()) }
      let meant = foreign ?? nearest(to: text, among: Verb.allCases.map(\.rawValue))
      let hint =
        text.hasPrefix("//")
        ? "comments begin with #" : meant.map { "did you mean \($0)?" } ?? "HELP lists the commands"
      throw WireError(.unknownCommand, unsafe "unknown command \(quoted(word)); \(hint)")
    }
    var arguments = ArgumentReader(verb, fields)
    self = try Command(verb, &arguments)
    try arguments.end()
  }
}
