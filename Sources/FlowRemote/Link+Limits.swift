import FlowWire
internal import Synchronization

/// What the server would skip or refuse without an answer is found here, before it is sent.
extension Link {
  /// The most bytes a value may have, as the server said last; from any thread.
  var largestValue: Int { valueLimit.load(ordering: .relaxed) }

  /// Passes on what is no larger than a value may be; from any thread.
  func fitting(_ payload: [UInt8]) throws(RemoteError) -> [UInt8] {
    if let refusal = refusal(ofValueWith: payload.count) { throw refusal }
    return payload
  }

  func refusal(ofValueWith count: Int) -> RemoteError? {
    let limit = largestValue
    guard count > limit else { return nil }
    return .unencodable(reason: "the value has \(count) bytes; the limit is \(limit) bytes")
  }

  /// The `FAIL` that says `error` as well as a line can: with a code that is a word, and no more text
  /// than there is room for.
  func failure(of target: Target, _ error: RemoteError) -> Command {
    let code = Name.isWord(error.code) ? error.code : ErrorCode.upstream.rawValue
    let room = longestLine - "FAIL \(target) \(code) ".utf8.count
    let text = FrameWriter.oneLine(error.text).shortened(toBytes: room)
    let command = Command.fail(target, code: code, text: text)
    if text.utf8.allSatisfy({ $0 < 0x80 }) || (try? TaggedCommand(command.description)) != nil {
      return command
    }
    // Text of too many marks in a row is no text to the server.
    let plain = text.unicodeScalars.map { $0.isASCII ? Character($0) : "?" }
    return .fail(target, code: code, text: String(plain))
  }
}
