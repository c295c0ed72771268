/// Decodes a connection's input from frames, and encodes its output as frames.
///
/// The handler reads and writes as if there were none. A base class, since each of thousands of
/// connections has room for a reference to one.
open class Codec {
  /// Bytes of frames that the kernel has not taken.
  package final var frames: [UInt8] = []
  /// The number of bytes of the connection's unsent output that are already in `frames`.
  private final var framed = 0
  /// How far the input has come.
  final var phase = Phase.open
  /// Whether the last frame is in `frames`, or was sent.
  final private(set) var isFinished = false
  /// Whether the last frame is sent after a time, though the handler still has to wait.
  final var isLimited = false
  /// Whether that time is over.
  final var isLate = false

  enum Phase {
    case open
    /// No more frames are taken; the handler may still have input from before.
    case ending
    /// The handler has been told of the end of its input.
    case ended
  }

  /// The most bytes of content that are decoded while the handler waits.
  static let mostAhead = 64 << 10

  /// Makes one that drops input and output.
  public init() {}

  /// Decodes `bytes`, all of which came from the socket.
  ///
  /// What they contain goes to `connection.give`, and answers that are frames to `frames`.
  open func take(_ bytes: UnsafeRawBufferPointer, for connection: Connection) {}

  /// Appends frames with the first bytes of `output` to `frames`, which is empty.
  ///
  /// What it leaves comes again, together with what is added: it may be the beginning of something,
  /// or too much at once.
  /// - Returns: how many bytes of `output` are in frames now.
  open func frame(_ output: UnsafeRawBufferPointer) -> Int { output.count }

  /// Appends the last frame, after all output: when the handler has closed the connection, or has
  /// had `patience` for the input before the peer's last frame.
  open func finish() {}

  /// How long the peer's last frame may wait for the answers to what came before it, in nanoseconds.
  static let patience: UInt64 = 1_000_000_000

  /// The memory that it takes.
  open var held: Int { frames.capacity }

  /// Takes no more frames.
  ///
  /// The handler is told of the end of its input when it has had all that came before. Its answers
  /// are sent, if it does not have to wait too long, and then the last frame.
  package final func end() { if phase == .open { phase = .ending } }

  /// Whether no more frames are taken.
  package final var hasEnded: Bool { phase != .open }

  /// Makes frames of `output`, if the last ones are sent.
  final func refill(from output: UnsafeRawBufferPointer) {
    if frames.isEmpty, !isFinished { framed = unsafe frame(output) }
  }

  /// Appends the last frame, the first time.
  final func finishOnce() {
    end()
    if isFinished { return }
    isFinished = true
    finish()
  }

  /// Forgets `count` bytes of `frames` that were sent; returns how much output is sent by that.
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
