import FlowWire

/// A frame with its bytes taken out of the buffer.
enum DecodedFrame: Hashable {
  case line(String)
  case send(name: String, value: [UInt8])
  case value(id: UInt64, payload: [UInt8])
  case callValue(StreamID, payload: [UInt8])
  case refused(ErrorCode)
  case broken

  init?(_ frame: Frame, in buffer: UnsafeRawBufferPointer) {
    func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }
    switch frame {
    case .incomplete: return nil
    case .line(let range): self = .line(text(range))
    case .send(let name, let value): self = .send(name: text(name), value: Array(buffer[value]))
    case .value(let id, let payload): self = .value(id: id, payload: Array(buffer[payload]))
    case .callValue(let id, let payload):
      self = .callValue(id, payload: Array(buffer[payload]))
    case .refused(let error, _): self = .refused(error.code)
    case .broken(let error):
      guard error.code == .framing else { return nil }
      self = .broken
    }
  }
}

/// What a connection does: keeps what was not taken and gives it again with what comes next.
struct Reading {
  var decoder: FrameDecoder
  var frames: [DecodedFrame] = []
  private var unread: [UInt8] = []
  /// The most that had to be kept between two reads.
  private(set) var mostKept = 0
  /// The frames of one read may not be more than its bytes, or the decoder does not get on.
  private(set) var madeProgress = true

  init(limits: FrameLimits = FrameLimits()) {
    decoder = FrameDecoder(limits: limits)
  }

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard frames.last != .broken else { return }
    unread.append(contentsOf: bytes)
    var offset = 0
    unread.withUnsafeBytes { buffer in
      while true {
        let before = offset
        let frame = decoder.next(buffer, &offset)
        guard let decoded = DecodedFrame(frame, in: buffer), frames.last != .broken else { break }
        madeProgress = madeProgress && (offset > before || decoded == .broken)
        frames.append(decoded)
      }
    }
    unread.removeFirst(offset)
    mostKept = max(mostKept, unread.count)
  }
}

/// Decodes the pieces as reads of one connection.
func decode(
  _ pieces: [some Sequence<UInt8>],
  limits: FrameLimits = FrameLimits()
) -> [DecodedFrame] {
  var reading = Reading(limits: limits)
  for piece in pieces { reading.receive(piece) }
  return reading.frames
}

func decode(_ text: String, limits: FrameLimits = FrameLimits()) -> [DecodedFrame] {
  decode([Array(text.utf8)], limits: limits)
}

extension DecodedFrame {
  static func send(_ name: String, _ value: String) -> Self {
    .send(name: name, value: Array(value.utf8))
  }

  static func value(_ id: UInt64, _ payload: String) -> Self {
    .value(id: id, payload: Array(payload.utf8))
  }
}

extension DecodedFrame {
  static func callValue(_ service: UInt64, _ call: UInt64, _ payload: String) -> Self {
    .callValue(StreamID(service: service, call: call), payload: Array(payload.utf8))
  }
}
