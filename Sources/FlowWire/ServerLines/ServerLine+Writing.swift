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
    func line(_ words: String, _ text: String = "") {
      output.append(contentsOf: escaped(text.isEmpty ? words : "\(words) \(text)").utf8)
      output.append(.lineFeed)
    }
    switch self {
    case .greeting(let greeting): line("HI \(greeting.product)", greeting.options.joined)
    case .ok(let answer):
      line((["OK", answer.verb] + answer.fields).joined(separator: " "), answer.options.joined)
    case .error(let code, let text): line("ERR \(code)", text)
    case .pong(let text): line("PONG\(text.map { " \($0)" } ?? "")")
    case .row(let text): line("*", text)
    case .note(let text): line("#", text)
    case .done(let id): FrameWriter.done(id, into: &output)
    case .fail(let id, let code, let text):
      FrameWriter.fail(id, code: code, text: text, into: &output)
    case .drop(let id, let count, let reason):
      FrameWriter.drop(id, count: count, reason: reason, into: &output)
    case .request(let id, let demand): FrameWriter.request(id, demand, into: &output)
    case .cancel(let id, let reason): FrameWriter.cancel(id, reason: reason, into: &output)
    case .drain(let seconds): line("DRAIN \(seconds)")
    case .bye(let code, let text): line("BYE \(code)", text)
    }
  }
}

extension [Option] {
  /// The options as they stand on a line.
  fileprivate var joined: String { map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
}
