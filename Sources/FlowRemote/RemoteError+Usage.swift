import FlowWire

extension RemoteError {
  static func usage(_ text: String) -> Self {
    .refused(code: ErrorCode.usage.rawValue, text: text)
  }

  static func usage(_ problem: String, in line: String) -> Self {
    usage("\(problem): \(line.shortened(toBytes: 60).debugDescription)")
  }

  /// Returns why a line must not be sent as a command: the server would not answer it, or would not
  /// answer later commands.
  static func refusal(ofCommand line: String) -> RemoteError? {
    let words = line.utf8.split(maxSplits: 4) { " \t\r".utf8.contains($0) }
    guard let first = words.first, first.first != UInt8(ascii: "#") else {
      return usage("the line has no command", in: line)
    }
    let command = words.drop { $0.first == UInt8(ascii: "@") }
    guard let verb = command.first.map({ String(decoding: $0, as: UTF8.self).uppercased() }) else {
      return nil
    }
    if verb == "FEED" || verb == "TAIL" {
      return usage("\(verb) takes the whole connection, with all that is on it", in: line)
    }
    guard !isTagged(line) else { return nil }
    let isAboutStream = command.dropFirst().first?.first.map { 0x30...0x39 ~= $0 } ?? false
    switch verb {
    case "REQ": return usage("REQ has no answer without a tag", in: line)
    case "DONE" where isAboutStream, "FAIL" where isAboutStream:
      return usage("\(verb) of a stream has no answer without a tag", in: line)
    case _ where "=:".contains(verb.prefix(1)): return usage("a value has no answer", in: line)
    default: return nil
    }
  }

  private static func isTagged(_ line: String) -> Bool {
    var line = line
    return line.withUTF8 { unsafe TaggedCommand.tag(of: UnsafeRawBufferPointer($0)) } != nil
  }
}
