private import Spelling

/// One line of a client: a command, and the tag that its answer will carry.
public struct TaggedCommand: Hashable, Sendable {
  /// What stood behind the `@`.
  public var tag: String?
  /// What is asked for.
  public var command: Command

  /// Puts a tag before a command.
  public init(tag: String? = nil, _ command: Command) {
    self.tag = tag
    self.command = command
  }

  /// Reads a line without its line end; a refusal carries the tag, if that could be read.
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

  /// Reads a line that is a signal as programs write it.
  init?(plain line: UnsafeRawBufferPointer) {
    if let request = unsafe PlainRequest(line) {
      self.init(.request(.stream(request.id), .demand(request.demand)))
    } else if let done = unsafe PlainDone(line) {
      self.init(.done(.stream(done.id)))
    } else {
      return nil
    }
  }

  /// Reads a line without its line end.
  public init(_ line: String) throws(CommandError) {
    var line = line
    let result = line.withUTF8 { bytes in
      Result { () throws(CommandError) in unsafe try TaggedCommand(UnsafeRawBufferPointer(bytes)) }
    }
    self = try result.get()
  }

  /// Says whether a line asks for nothing: only blanks, or a `#` first.
  @inlinable
  public static func isIgnorable(_ line: UnsafeRawBufferPointer) -> Bool {
    unsafe line.first { !$0.isBlank }.map { $0 == .hash } ?? true
  }
}

/// Why a line of a client was refused, and the tag to answer it with.
public struct CommandError: Error, Hashable, Sendable {
  /// The tag of the line, if it had a well-formed one.
  public var tag: String?
  /// The refusal.
  public var error: WireError

  /// Makes the refusal of a line.
  public init(tag: String?, error: WireError) {
    self.tag = tag
    self.error = error
  }
}

extension TaggedCommand {
  /// The tag that a line begins with, if it can be read.
  public static func tag(of line: UnsafeRawBufferPointer) -> String? {
    var fields = unsafe FieldReader(line)
    fields.skipBlanks()
    return (try? fields.tag()) ?? nil
  }
}

extension FieldReader {
  /// `@TAG`, if the line begins with one.
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
  /// Reads the verb and what belongs to it.
  fileprivate init(_ fields: inout FieldReader) throws(WireError) {
    let word = unsafe fields.word()
    let verb = unsafe Verb(word)
    if verb != .send { try fields.checkText() }
    guard unsafe !word.isEmpty else { throw WireError(.usage, "the line has a tag but no command") }
    if unsafe word.first == .equals || word.first == .colon {
      throw WireError(.usage, "a value frame must start its line: no tag or space may precede it")
    }
    guard let verb else {
      // Nothing is close to a word as long as that, and the line may have any bytes yet.
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
