/// Decodes a connection's input from frames, and encodes its output as frames.
///
/// The handler reads and writes as if there were none. A base class, since each of thousands of
/// connections has room for a reference to one.
open class Codec {
  /// Bytes of frames that the kernel has not taken.
  package final var frames: [UInt8] = []
  /// The number of bytes of the connection's unsent output that are already in `frames`.
  private final var framed = 0
  final var phase = Phase.open

  enum Phase {
    case open
    /// No frame follows `frames`; the handler may still have input from before.
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

  /// Appends the last frame, after all output.
  open func finish() {}

  /// The memory that it takes.
  open var held: Int { frames.capacity }

  /// Lets nothing follow what is in `frames`.
  package final func end() { if phase == .open { phase = .ending } }

  /// Whether nothing follows what is in `frames`.
  package final var hasEnded: Bool { phase != .open }

  /// Makes frames of `output`, if the last ones are sent.
  final func refill(from output: UnsafeRawBufferPointer) {
    if frames.isEmpty, !hasEnded { framed = unsafe frame(output) }
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
