import FlowHTTP

/// A request with its body taken out of the buffer, or what was said instead.
enum ReadRequest: Equatable {
  case request(RequestHead, body: String)
  case refused(status: Int, reason: String)
}

/// What a connection does: keeps what was not taken and gives it again with what comes next.
struct RequestReading {
  private var decoder = RequestDecoder()
  private(set) var unread: [UInt8] = []
  private(set) var requests: [ReadRequest] = []
  private var isRefused = false

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard !isRefused else { return }
    unread.append(contentsOf: bytes)
    var offset = 0
    // The copy ends where the bytes end, so that the address sanitizer sees who reads beyond.
    Array(unread).withUnsafeBytes { buffer in
      while true {
        switch decoder.next(buffer, &offset) {
        case .incomplete: return
        case .awaitsContinue: continue
        case .request(let head, let body):
          requests.append(.request(head, body: String(decoding: buffer[body], as: UTF8.self)))
        case .refused(let status, let reason):
          requests.append(.refused(status: status, reason: reason))
          isRefused = true
          return
        }
      }
    }
    unread.removeFirst(offset)
  }

  static func read(_ pieces: [some Sequence<UInt8>]) -> [ReadRequest] {
    var reading = RequestReading()
    for piece in pieces { reading.receive(piece) }
    return reading.requests
  }

  /// The head of the only request in `text`; nil if it is refused or incomplete.
  static func head(_ text: String) -> RequestHead? {
    guard case .request(let head, _)? = read([wire(text)]).first else { return nil }
    return head
  }
}

/// Lines as a transcript shows them: `⏎` is CR LF.
func wire(_ text: String) -> [UInt8] {
  Array(text.split(separator: "⏎", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
}
