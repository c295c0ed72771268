import FlowWire

/// How many answers a conversation must have, and with which tags, in order.
struct ExpectedAnswers {
  private(set) var tags: [String?] = []
  /// Whether what follows the last of them cannot be told from the input alone.
  private(set) var isOpenEnded = false
  /// Whether each line has one answer: a demand of 0 ends a stream, which is its answer.
  private(set) var isKnown = true
  private var isTyped = true

  init(_ input: [UInt8]) {
    input.withUnsafeBytes { read($0) }
  }

  private mutating func read(_ input: UnsafeRawBufferPointer) {
    var decoder = FrameDecoder()
    var offset = 0
    var goesOn = true
    // TLS before anything else is sent away.
    while goesOn, !(tags.isEmpty && offset < input.count && input[offset] == 0x16) {
      switch decoder.next(input, &offset) {
      case .incomplete: return
      case .line(let place): goesOn = line(UnsafeRawBufferPointer(rebasing: input[place]))
      case .send: tags.append(nil)
      case .value, .callValue: if isTyped { tags.append(nil) }
      case .refused(let error, let start):
        // A first line that is too long may be a browser's.
        if error.code == .lineTooLong, tags.isEmpty { goesOn = false }
        goesOn = goesOn && refused(UnsafeRawBufferPointer(rebasing: input[start...]))
      case .broken: goesOn = false
      }
    }
    isOpenEnded = true
  }

  /// A frame that is too long or is no value.
  private mutating func refused(_ rest: UnsafeRawBufferPointer) -> Bool {
    let head = UnsafeRawBufferPointer(rebasing: rest.prefix(256))
    return refused(TaggedCommand.tag(of: head), String(decoding: head, as: UTF8.self))
  }

  private mutating func refused(_ tag: String?, _ text: String) -> Bool {
    note(tag, isSignal: Self.isSignal(text))
    // A FEED or TAIL that is refused has what follows, too; a browser is sent away.
    return !["TAIL", "FEED", "HTTP/"].contains(where: text.uppercased().contains)
  }

  /// Returns whether more is to be answered.
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
