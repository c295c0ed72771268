import FlowTransport
import Glibc

/// One end of a simulated connection.
final class SimulatedSocket: SignGiver {
  let descriptor: Int32
  let peer: SocketAddress
  unowned let world: World
  let input: Pipe
  let output: Pipe
  /// The other end, until it is closed.
  weak var other: SimulatedSocket?
  /// The poller's watch, or a client of the world.
  var wake: (() -> Void)?
  /// The error number that the next call gets.
  var error: Int32 = 0
  var isClosed = false
  var resetsOnClose = false
  /// Whether the server, or a program, has it, which do without what the kernel has no memory for.
  var isPrograms = false
  /// When the other side vanished without a word.
  var vanished: UInt64?
  /// How it finds out who has vanished.
  var keepAlive = KeepAlive.usual

  init(_ descriptor: Int32, peer: SocketAddress, world: World, input: Pipe, output: Pipe) {
    self.descriptor = descriptor
    self.peer = peer
    self.world = world
    self.input = input
    self.output = output
  }

  var signs: Signs {
    Signs(
      isReadable: input.waiting > 0 || input.hasEnded || error != 0,
      isWritable: output.room > 0 || error != 0,
      isHungUp: error != 0 || input.hasEnded && output.isEnding
    )
  }

  func read(into place: UnsafeMutableRawPointer, _ most: Int) -> Int {
    guard most > 0 else { return 0 }
    if isShortOfMemory { return -Int(ENOMEM) }
    if input.waiting > 0 {
      let bytes = input.take(world.dice.chance(20) ? world.dice.size(upTo: most) : most)
      UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyBytes(from: bytes)
      // Room at this side is known to the other one a little later.
      if let other { world.after(world.delay()) { other.wake?() } }
      return bytes.count
    }
    if error != 0 {
      defer { error = 0 }
      return -Int(error)
    }
    return input.hasEnded ? 0 : -Int(EAGAIN)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    if error != 0 {
      defer { if error != EPIPE { error = EPIPE } }
      return -Int(error)
    }
    if output.isEnding { return -Int(EPIPE) }
    if isShortOfMemory { return -Int(ENOBUFS) }
    var count = min(bytes.count, output.room)
    if count == 0 { return -Int(EAGAIN) }
    if world.dice.chance(5) { count = world.dice.size(upTo: count) }
    output.sent(count)
    var rest = bytes[..<count]
    while !rest.isEmpty {
      let piece = world.dice.chance(world.splits) ? world.dice.size(upTo: rest.count) : rest.count
      carry(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    return count
  }

  /// Whether the kernel of the server's machine has no memory for a call.
  private var isShortOfMemory: Bool { isPrograms && world.dice.chance(1) }

  /// The other side has bytes, or the end, after a while and in order.
  private func carry(_ bytes: [UInt8]?) {
    let pipe = output
    let time = max(world.now + world.delay(), pipe.lastArrival, pipe.stalledUntil)
    pipe.lastArrival = time
    pipe.pieces.append(bytes)
    world.at(time) { self.deliver(over: pipe) }
  }

  private func deliver(over pipe: Pipe) {
    // A stall that began meanwhile holds up what is under way.
    if pipe.stalledUntil > world.now {
      pipe.lastArrival = max(pipe.lastArrival, pipe.stalledUntil)
      return world.at(pipe.stalledUntil) { self.deliver(over: pipe) }
    }
    let bytes = pipe.pieces.removeFirst()
    if pipe.isCut || vanished != nil { return }
    guard let other, !other.isClosed else {
      // Nobody is there to take it.
      if bytes != nil { hearReset() }
      return
    }
    if other.vanished != nil { return }
    if let bytes { pipe.arrive(bytes) } else { pipe.hasEnded = true }
    other.wake?()
    wake?()
  }

  func shutDownOutput() {
    if output.isEnding { return }
    output.isEnding = true
    carry(nil)
  }

  /// The other side's reset arrives.
  func hearReset() {
    if isClosed || error != 0 { return }
    error = ECONNRESET
    output.isEnding = true
    wake?()
  }

  func close() {
    if isClosed { return }
    // Closing over unread input is a reset.
    let isReset = resetsOnClose || input.waiting > 0
    isClosed = true
    wake = nil
    if isReset {
      output.isEnding = true
      output.cut()
      let other = other
      world.after(world.delay()) { other?.hearReset() }
    } else {
      shutDownOutput()
      answerQuestions(since: world.now)
    }
    world.closed(self)
  }

  /// Whoever is closed answers the other side's next question by a reset.
  private func answerQuestions(since closed: UInt64) {
    world.after(1_000_000_000) {
      guard let other = self.other, !other.isClosed, other.error == 0 else { return }
      if self.world.now - closed >= UInt64(other.keepAlive.idle) * 1_000_000_000 {
        other.hearReset()
      } else {
        self.answerQuestions(since: closed)
      }
    }
  }

  /// From now on nothing from here arrives, nor is anything heard of the other side.
  func vanish() {
    isClosed = true
    wake = nil
    world.closed(self)
    guard let other else { return }
    other.vanished = world.now
    world.watchVanished(other)
  }
}
