extension TaggedServerLine {
  /// Appends the line and its line end.
  public func write(into output: inout [UInt8]) {
    if let tag {
      output.append(.at)
      output.append(contentsOf: escaped(tag).utf8)
      output.append(.space)
    }
    line.write(into: &output)
  }
}

extension ServerLine {
  /// Appends the line and its line end.
  ///
  /// Control characters in texts are made visible, as `\n`, `\r` or `\xNN`, so that it stays one
  /// line whatever the texts are.
  public func write(into output: inout [UInt8]) {
    output.append(contentsOf: escaped(text).utf8)
    output.append(.lineFeed)
  }

  /// The line without its line end; control characters in texts are still there.
  private var text: String {
    switch self {
    case .greeting(let greeting): "HI \(greeting.product)" + Self.join([], greeting.options)
    case .ok(let answer): "OK \(answer.verb)" + Self.join(answer.fields, answer.options)
    case .error(let code, let text): "ERR \(code)" + Self.optional(text)
    case .pong(let text): "PONG" + (text.map { " \($0)" } ?? "")
    case .row(let text): "*" + Self.optional(text)
    case .note(let text): "#" + Self.optional(text)
    case .done(let id): "DONE \(id)"
    case .fail(let id, let code, let text): "FAIL \(id) \(code)" + Self.optional(text)
    case .drop(let id, let count, let reason): "DROP \(id) \(count) \(reason)"
    case .request(let id, let demand): "REQ \(id) \(demand)"
    case .cancel(let id, let reason): "CANCEL \(id)" + (reason.map { " \($0)" } ?? "")
    case .drain(let seconds): "DRAIN \(seconds)"
    case .bye(let code, let text): "BYE \(code)" + Self.optional(text)
    }
  }

  private static func optional(_ text: String) -> String { text.isEmpty ? "" : " \(text)" }

  private static func join(_ fields: [String], _ options: [Option]) -> String {
    fields.map { " \($0)" }.joined() + options.map { " \($0.key)=\($0.value)" }.joined()
  }
}
