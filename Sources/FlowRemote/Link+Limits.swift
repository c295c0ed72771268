import FlowWire
internal import Synchronization

/// Finds lines that the server would skip or refuse without an answer, before they are sent.
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
    let text = "the value has \(count) bytes; the limit is \(limit) bytes"
    return .refused(code: ErrorCode.valueTooLong.rawValue, text: text)
  }

  /// Why a command, given without its line end, is too long; never for a SEND, which the limit of
  /// values bounds.
  func refusal(ofLine line: ArraySlice<UInt8>) -> RemoteError? {
    guard line.count > longestLine else { return nil }
    let words = line.prefix(200).split(maxSplits: 2) { $0 == UInt8(ascii: " ") || $0 == 9 }
    let verb = words.first { $0.first != UInt8(ascii: "@") }
    if verb.map({ String(decoding: $0, as: UTF8.self).uppercased() }) == "SEND" { return nil }
    let text = "the command has \(line.count) bytes; the limit is \(longestLine) bytes"
    return .refused(code: ErrorCode.lineTooLong.rawValue, text: text)
  }

  /// Why no further stream may be opened; nil below the limit of `settings.mostStreams`.
  var refusalOfStream: RemoteError? {
    let limit = settings.mostStreams
    guard streamCount >= limit, streamsInOrder.count(where: { !$0.isEnding }) >= limit else {
      return nil
    }
    let text = "the limit of \(limit) streams per connection is reached"
    return .refused(code: ErrorCode.limit.rawValue, text: text)
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
