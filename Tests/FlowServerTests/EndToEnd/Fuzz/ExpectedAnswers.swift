import FlowWire

/// The tags of the answers that a conversation must get, in order.
struct ExpectedAnswers {
  private(set) var tags: [String?] = []
  /// Whether more answers may follow, which the input alone does not determine.
  private(set) var isOpenEnded = false
  /// Whether the number of answers is known; it is not after a REQ of 0.
  private(set) var isKnown = true
  private var isTyped = true

  init(_ input: [UInt8]) {
    input.withUnsafeBytes { read($0) }
  }

  private mutating func read(_ input: UnsafeRawBufferPointer) {
    var decoder = FrameDecoder()
    var offset = 0
    var goesOn = true
    // A connection that begins with TLS is refused.
    while goesOn, !(tags.isEmpty && offset < input.count && input[offset] == 0x16) {
      switch decoder.next(input, &offset) {
      case .incomplete: return
      case .line(let place): goesOn = line(UnsafeRawBufferPointer(rebasing: input[place]))
      case .send: tags.append(nil)
      case .value, .callValue: if isTyped { tags.append(nil) }
      case .refused(let error, let start):
        // A too long first line may be an HTTP request, which ends the connection.
        if error.code == .lineTooLong, tags.isEmpty { goesOn = false }
        goesOn = goesOn && refused(UnsafeRawBufferPointer(rebasing: input[start...]))
      case .broken: goesOn = false
      }
    }
    isOpenEnded = true
  }

  /// Notes the answer to an invalid frame; returns whether more commands may follow.
  private mutating func refused(_ rest: UnsafeRawBufferPointer) -> Bool {
    let head = UnsafeRawBufferPointer(rebasing: rest.prefix(256))
    return refused(TaggedCommand.tag(of: head), String(decoding: head, as: UTF8.self))
  }

  private mutating func refused(_ tag: String?, _ text: String) -> Bool {
    note(tag, isSignal: Self.isSignal(text))
    // A refused FEED or TAIL also takes all further lines; HTTP ends the connection.
    return !["TAIL", "FEED", "HTTP/"].contains(where: text.uppercased().contains)
  }

  /// Notes the answer to a line; returns whether more commands may follow.
  private mutating func line(_ line: UnsafeRawBufferPointer) -> Bool {
    if TaggedCommand.isIgnorable(line) { return true }
    do throws(CommandError) {
      return command(try TaggedCommand(line))
    } catch {
      return refused(error.tag, String(decoding: line, as: UTF8.self))
    }
  }

  private static func isSignal(_ line: String) -> Bool {
    var words = line.split { $0 == " " || $0 == "\t" }.drop { $0.hasPrefix("@") }
    switch words.popFirst()?.uppercased() {
    case "REQ": return true
    case "DONE", "FAIL": return words.first?.first?.isNumber ?? false
    case let word?: return word.hasPrefix("=") || word.hasPrefix(":")
    case nil: return false
    }
  }

  private mutating func command(_ line: TaggedCommand) -> Bool {
    switch line.command {
    case .request(_, let count):
      note(line.tag, isSignal: true)
      if case .demand(let demand) = count, demand != .none { break }
      isKnown = false
    case .done(.stream), .fail(.stream, _, _): note(line.tag, isSignal: true)
    case .cancel(.stream(let id)) where id.isCall: note(line.tag, isSignal: true)
    default: note(line.tag, isSignal: false)
    }
    switch line.command {
    case .hello(let version, _, _): if version == "1" { isTyped = false }
    case .feed, .tail, .quit: return false
    default: break
    }
    return true
  }

  private mutating func note(_ tag: String?, isSignal: Bool) {
    if !isSignal || isTyped || tag != nil { tags.append(tag) }
  }
}
