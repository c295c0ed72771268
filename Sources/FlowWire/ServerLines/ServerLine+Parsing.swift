extension TaggedServerLine {
  /// Parses a line without its line end.
  public init(_ line: UnsafeRawBufferPointer) throws(WireError) {
    if let request = unsafe PlainRequest(line) {
      tag = nil
      self.line = .request(request.id, request.demand)
      return
    }
    var fields = unsafe FieldReader(line)
    tag = try fields.serverTag()
    self.line = try ServerLine(&fields)
  }

  /// Parses a line without its line end.
  public init(_ line: String) throws(WireError) {
    var line = line
    let result = line.withUTF8 { bytes in
      Result { () throws(WireError) in unsafe try TaggedServerLine(UnsafeRawBufferPointer(bytes)) }
    }
    self = try result.get()
  }
}

extension ServerLine {
  fileprivate init(_ fields: inout FieldReader) throws(WireError) {
    switch try fields.word("the first word") {
    case "HI": self = .greeting(try Greeting(&fields))
    case "OK": self = .ok(try Answer(&fields))
    case "ERR": self = .error(code: try fields.word("the code"), text: fields.text() ?? "")
    case "BYE": self = .bye(code: try fields.word("the code"), text: fields.text() ?? "")
    case "PONG": self = .pong(fields.text())
    case "*": self = .row(fields.text() ?? "")
    case "#": self = .note(fields.text() ?? "")
    case "DONE": self = .done(try fields.streamID())
    case "FAIL":
      let id = try fields.streamID()
      self = .fail(id, code: try fields.word("the code"), text: fields.text() ?? "")
    case "DROP":
      let id = try fields.streamID()
      let count = try fields.count()
      self = .drop(id, count: count, reason: try fields.word("the reason"))
    case "REQ":
      let id = try fields.streamID()
      self = .request(id, try fields.demand())
    case "CANCEL":
      let id = try fields.streamID()
      self = .cancel(id, reason: fields.text())
    case "DRAIN": self = .drain(seconds: try fields.count())
    case let word:
      throw WireError(.unknownCommand, "unknown message \(quoted(word)) from the server")
    }
  }
}

// The fields of a server's line, in their order.
extension FieldReader {
  /// Reads a tag, which may be the `!` of an error that answers no command.
  fileprivate mutating func serverTag() throws(WireError) -> String? {
    guard next == .at else { return nil }
    let word = try word("the tag")
    guard word.utf8.count > 1 else { throw refusal("the tag", word, "@ and a word") }
    return String(word.dropFirst())
  }

  mutating func word(_ field: String) throws(WireError) -> String {
    guard let word = nextWord() else { throw refusal(field, "", "a word") }
    return word
  }

  mutating func streamID() throws(WireError) -> StreamID {
    let word = try word("the id")
    guard let id = StreamID(word.utf8) else { throw refusal("the id", word, "a number") }
    return id
  }

  mutating func target() throws(WireError) -> Target {
    let word = try word("the id")
    return StreamID(word.utf8).map(Target.stream) ?? .name(word)
  }

  mutating func count() throws(WireError) -> UInt64 {
    try count(word("the count"))
  }

  mutating func demand() throws(WireError) -> Demand {
    try demand(word("the demand"))
  }

  /// Parses the arguments of a command, which its answer repeats.
  func command(_ verb: Verb) throws(WireError) -> Command {
    var arguments = ArgumentReader(verb, self)
    return try Command(verb, &arguments)
  }
}

// Fields at any place.
extension FieldReader {
  func option(_ key: String) -> String? {
    var rest = self
    while let word = rest.nextWord() {
      if word.hasPrefix("\(key)=") { return String(word.dropFirst(key.count + 1)) }
    }
    return nil
  }

  /// Returns the value of a field as a number.
  func count(of key: String) throws(WireError) -> Int {
    Int(clamping: try count(option(key) ?? ""))
  }

  func demand(of key: String) throws(WireError) -> Demand {
    try demand(option(key) ?? "")
  }

  var hasEnded: Bool {
    var rest = self
    while let word = rest.nextWord() {
      if word == "ended" { return true }
    }
    return false
  }

  private func count(_ word: String) throws(WireError) -> UInt64 {
    guard let count = UInt64(decimal: word.utf8) else {
      throw refusal("the count", word, "a number")
    }
    return count
  }

  private func demand(_ word: String) throws(WireError) -> Demand {
    if word == "max" { return .unlimited }
    guard let count = UInt64(decimal: word.utf8) else {
      throw refusal("the demand", word, "a number or max")
    }
    return .max(count)
  }

  private func refusal(_ field: String, _ text: String, _ expected: String) -> WireError {
    let line = unsafe quoted(line)
    return WireError(.usage, "\(field) is \(quoted(text)) in \(line), expected \(expected)")
  }
}
