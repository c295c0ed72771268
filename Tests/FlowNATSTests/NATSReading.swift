import FlowNATS

/// A frame with its bytes taken out of the buffer.
enum ReadFrame: Equatable {
  case info(String)
  case message(subject: String, UInt64, reply: String, headers: String, payload: String)
  case ping, pong, ok
  case error(String)
  case broken(NATSError.Code)
}

/// What a connection does: keeps what was not taken and gives it again with what comes next.
struct NATSReading {
  private var decoder = NATSDecoder()
  private var unread: [UInt8] = []
  private(set) var frames: [ReadFrame] = []
  private var isBroken = false

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard !isBroken else { return }
    unread.append(contentsOf: bytes)
    var offset = 0
    unread.withUnsafeBytes { buffer in
      func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }
      do throws(NATSError) {
        while let frame = try decoder.next(buffer, &offset) {
          switch frame {
          case .info(let json): frames.append(.info(text(json)))
          case .message(let message):
            frames.append(
              .message(
                subject: text(message.subject),
                message.subscription,
                reply: text(message.reply),
                headers: text(message.headers),
                payload: text(message.payload)
              )
            )
          case .ping: frames.append(.ping)
          case .pong: frames.append(.pong)
          case .ok: frames.append(.ok)
          case .error(let text): frames.append(.error(text))
          }
        }
      } catch {
        frames.append(.broken(error.code))
        isBroken = true
      }
    }
    unread.removeFirst(offset)
  }

  static func read(_ pieces: [some Sequence<UInt8>]) -> [ReadFrame] {
    var reading = NATSReading()
    for piece in pieces { reading.receive(piece) }
    return reading.frames
  }
}

/// Lines as a transcript shows them: `⏎` is CR LF.
func wire(_ text: String) -> [UInt8] {
  Array(text.split(separator: "⏎", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
}
