/// Decodes a connection's input from frames, and encodes its output as frames.
///
/// The handler sees only their content. It is a base class so that each of thousands of connections
/// needs only one reference.
open class Codec {
  /// Encoded bytes that the kernel has not taken.
  package final var frames: [UInt8] = []
  /// The number of bytes of the connection's unsent output that are already in `frames`.
  private final var framed = 0
  final var phase = Phase.open
  /// Whether the last frame was appended to `frames`.
  final private(set) var isFinished = false
  /// Whether a timeout forces the last frame, although the handler still waits.
  final var isLimited = false
  /// Whether that timeout has passed.
  final var isLate = false

  enum Phase {
    case open
    /// Further frames are ignored; the handler may still have earlier input.
    case ending
    /// The handler was told of the end of its input.
    case ended
  }

  /// The most content decoded while the handler waits, in bytes.
  static let mostAhead = 64 << 10

  /// Makes a codec that drops input and output.
  public init() {}

  /// Decodes `bytes` from the socket.
  ///
  /// Content goes to `connection.give`, and frames that answer go to `frames`.
  open func take(_ bytes: UnsafeRawBufferPointer, for connection: Connection) {}

  /// Encodes the first bytes of `output` into `frames`, which is empty.
  ///
  /// Bytes that are left, as an incomplete message or too much at once, come again with later
  /// output.
  /// - Returns: how many bytes of `output` are now in frames.
  open func frame(_ output: UnsafeRawBufferPointer) -> Int { output.count }

  /// Appends the last frame, after all output.
  ///
  /// It is called when the handler has closed the connection, or when `patience` is over.
  open func finish() {}

  /// How long the peer's last frame may wait for answers to earlier input, in nanoseconds.
  static let patience: UInt64 = 1_000_000_000

  /// The memory in use, in bytes.
  open var held: Int { frames.capacity }

  /// Ignores further frames.
  ///
  /// The handler is told of the end of its input after it has had all earlier input. Its answers
  /// are sent, within `patience`, and then the last frame.
  package final func end() { if phase == .open { phase = .ending } }

  /// Whether further frames are ignored.
  package final var hasEnded: Bool { phase != .open }

  /// Encodes `output` if all frames are sent.
  final func refill(from output: UnsafeRawBufferPointer) {
    if frames.isEmpty, !isFinished { framed = unsafe frame(output) }
  }

  /// Appends the last frame once.
  final func finishOnce() {
    end()
    if isFinished { return }
    isFinished = true
    finish()
  }

  /// Removes `count` sent bytes of `frames`; returns how much output they completed.
  ///
  /// A frame is never shorter than its output: with fewer bytes left than `framed`, some is sent.
  final func consume(_ count: Int) -> Int {
    frames.removeFirst(count)
    if frames.isEmpty { frames = [] }
    let sent = max(0, framed - frames.count)
    framed -= sent
    return sent
  }
}
