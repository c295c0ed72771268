extension TaggedServerLine {
  public func write(into output: inout [UInt8]) { line.write(tag: tag, into: &output) }
}

extension ServerLine {
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(into: &bytes)
    return bytes
  }

  /// Appends the line and its line end, after the tag if there is one.
  ///
  /// Control characters in texts are escaped as `\n`, `\r` or `\xNN`, so that the result is one
  /// line.
  public func write(tag: String? = nil, into output: inout [UInt8]) {
    if let tag { output.append(tag: tag) }
    switch self {
    case .greeting(let greeting): output.append(greeting.line)
    case .ok(let answer): answer.write(into: &output)
    case .error(let code, let text): output.append("ERR \(code)\(text: text)")
    case .pong(let text):
      // Returns the client's text unchanged if it is one line.
      let isLine = text?.utf8.contains { $0 == .lineFeed || $0 == .carriageReturn } != true
      output.append("PONG\(rest: isLine ? text : text.map(escaped))")
    case .row(let text): output.append("*\(text: text)")
    case .note(let text): output.append("#\(text: text)")
    case .done(let id):
      output.append("DONE ", id)
      output.append(.lineFeed)
    case .fail(let id, let code, let text):
      output.append("FAIL ", id)
      output.append(field: code)
      if !text.isEmpty { output.append(field: text) }
      output.append(.lineFeed)
    case .drop(let id, let count, let reason):
      output.append("DROP ", id)
      output.append(" ", count)
      output.append(field: reason)
      output.append(.lineFeed)
    case .request(let id, let demand):
      output.append("REQ ", id)
      if let count = demand.max { output.append(" ", count) } else { output.append(field: "max") }
      output.append(.lineFeed)
    case .cancel(let id, let reason):
      output.append("CANCEL ", id)
      if let reason { output.append(field: reason) }
      output.append(.lineFeed)
    case .drain(let seconds): output.append("DRAIN \(seconds)")
    case .bye(let code, let text): output.append("BYE \(code)\(text: text)")
    }
  }
}

extension [UInt8] {
  mutating func append(_ word: StaticString, _ number: UInt64) {
    unsafe append(
      contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
    )
    unsafe withDecimalDigits(of: number) { unsafe append(contentsOf: $0) }
  }

  mutating func append(_ word: StaticString, _ id: StreamID) {
    append(word, id.rawValue)
    if id.isCall { append(".", id.call) }
  }

  fileprivate mutating func append(field text: String) {
    append(.space)
    append(contentsOf: escaped(text).utf8)
  }
}
