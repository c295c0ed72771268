import FlowHTTP

/// What a connection does: keeps what was not taken and gives it again with what comes next.
struct WebSocketReading {
  private var decoder: WebSocketDecoder
  private var unread: [UInt8] = []
  private(set) var outcomes: [WebSocketDecoder.Outcome] = []
  /// How many bytes were unread at most after a call.
  private(set) var mostKept = 0
  private var isOver = false

  init(longestMessage: Int = 1 << 20) { decoder = WebSocketDecoder(longestMessage: longestMessage) }

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard !isOver else { return }
    unread.append(contentsOf: bytes)
    var offset = 0
    // The copy ends where the bytes end, so that the address sanitizer sees who reads beyond.
    Array(unread).withUnsafeBytes { buffer in
      while true {
        let outcome = decoder.next(buffer, &offset)
        if outcome == .incomplete { return }
        outcomes.append(outcome)
        if case .failed = outcome {
          isOver = true
          return
        }
      }
    }
    unread.removeFirst(offset)
    if !isOver { mostKept = max(mostKept, unread.count) }
  }

  static func read(
    _ pieces: [some Sequence<UInt8>],
    longestMessage: Int = 1 << 20
  ) -> [WebSocketDecoder.Outcome] {
    var reading = WebSocketReading(longestMessage: longestMessage)
    for piece in pieces { reading.receive(piece) }
    return reading.outcomes
  }
}

/// A frame as a client sends it, right or wrong.
struct ClientFrame {
  var opcode: UInt8
  var payload: [UInt8]
  var isFinal = true
  var reserved: UInt8 = 0
  var key: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]
  /// How many bytes the length has after the first; nil for as few as possible.
  var lengthBytes: Int?

  init(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true) {
    self.opcode = opcode
    self.payload = payload
    self.isFinal = isFinal
  }

  init(_ opcode: UInt8, _ text: String, isFinal: Bool = true) {
    self.init(opcode, Array(text.utf8), isFinal: isFinal)
  }

  static func close(_ code: Int, _ reason: String = "") -> ClientFrame {
    ClientFrame(8, [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
  }

  func with(_ change: (inout ClientFrame) -> Void) -> ClientFrame {
    var frame = self
    change(&frame)
    return frame
  }

  var bytes: [UInt8] {
    let count = payload.count
    let digits = lengthBytes ?? (count < 126 ? 0 : count < 65536 ? 2 : 8)
    let short = digits == 0 ? UInt8(count) : digits == 2 ? 126 : 127
    var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode, (key == nil ? 0 : 0x80) | short]
    for place in (0..<digits).reversed() { bytes.append(UInt8(count >> (8 * place) & 255)) }
    guard let key else { return bytes + payload }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
  }
}
