internal import Glibc

/// Takes what happens on a connection; called on the loop's queue only.
public protocol ConnectionHandler: AnyObject {
  /// Takes input: `buffer` is all that is unread; returns how many octets were used.
  ///
  /// The rest, half a line or one that has to wait, is kept and given again with what comes later.
  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int

  /// The peer sends no more, and all that could be used has been; output goes on.
  func connectionInputEnded(_ connection: Connection)

  /// After the socket was full: most of the output is sent, or all of it.
  func connectionDrained(_ connection: Connection)

  /// The connection is gone: exactly once, at the end of a turn; `nil` after a close from here.
  func connectionClosed(_ connection: Connection, _ error: TransportError?)
}

/// One socket: input with what is left unread, output in a pooled chunk that a turn sends once.
///
/// It belongs to its loop's queue. Failures inside `append` or `flush` only mark it; the handler
/// is told at the end of the turn.
public final class Connection {
  /// Tells connections of one loop apart, whatever descriptors they have.
  public let id: Int
  /// The address of the other side.
  public let peer: SocketAddress
  /// Who takes what happens.
  public weak var handler: (any ConnectionHandler)?
  /// Unsent octets at or below which a connection that was full is reported as drained.
  public var lowWater = 128 << 10

  let descriptor: Int32
  unowned let loop: EventLoop

  // Input
  var carry: UnsafeMutableRawPointer?
  var carryCount = 0
  var carryCapacity = 0
  private(set) var isReading = true
  private(set) var hasInputEnded = false
  private var isInputEndTold = false
  /// What the poller watches, as it keeps it.
  var watched: UInt32 = 0
  var isQueued = false

  // Output
  @exclusivity(unchecked) @usableFromInline var base: UnsafeMutableRawPointer?
  @exclusivity(unchecked) @usableFromInline var head = 0
  @exclusivity(unchecked) @usableFromInline var tail = 0
  @exclusivity(unchecked) @usableFromInline var capacity = 0
  @exclusivity(unchecked) @usableFromInline var isDirty = false
  /// Whether the socket took less than it was given.
  public private(set) var isBlocked = false
  private var isDrainDue = false
  private var closesWhenSent = false

  enum Life: Equatable {
    case open
    /// To be closed at the end of the turn.
    case doomed(TransportError?)
    case closed
  }
  private(set) var life = Life.open

  init(id: Int, descriptor: Int32, peer: SocketAddress, loop: EventLoop) {
    self.id = id
    self.descriptor = descriptor
    self.peer = peer
    self.loop = loop
  }

  deinit {
    carry?.deallocate()
    base?.deallocate()
  }

  /// Whether it can still be written to.
  public var isOpen: Bool { life == .open }

  /// Octets that the kernel has not taken yet.
  @inlinable
  public var unsent: Int { tail &- head }

  // MARK: Input

  var wantsInput: Bool { isReading && !hasInputEnded && life == .open }
  var wantsOutput: Bool { isBlocked && life == .open }

  /// Stops reading: the kernel's buffers fill up, and then the peer waits.
  public func pauseReading() {
    guard isReading else { return }
    isReading = false
    loop.interestChanged(self)
  }

  /// Reads again; what was kept is given to the handler before this turn ends.
  public func resumeReading() {
    guard !isReading else { return }
    isReading = true
    loop.interestChanged(self)
    loop.enqueue(self)
  }

  /// Reads and hands over, up to four reads a turn; true if there may be more.
  func readAvailable() -> Bool {
    for _ in 0..<4 {
      guard wantsInput else { return false }
      let room: Int
      let count: Int
      if carryCount < EventLoop.readSize / 4 {
        // The usual case: what is left of the last read, if anything, and a new one in one buffer.
        if let carry { loop.readBuffer.copyMemory(from: carry, byteCount: carryCount) }
        room = EventLoop.readSize - carryCount
        count = Glibc.read(descriptor, loop.readBuffer + carryCount, room)
        if count > 0 {
          let total = carryCount + count
          let used = offer(UnsafeRawBufferPointer(start: loop.readBuffer, count: total))
          keep(loop.readBuffer + used, total - used)
        }
      } else {
        // A long value: straight into what is kept, which doubles as it fills.
        if carryCapacity - carryCount < EventLoop.readSize { growCarry(to: carryCapacity * 2) }
        room = carryCapacity - carryCount
        guard let carry else { return false }
        count = Glibc.read(descriptor, carry + carryCount, room)
        if count > 0 {
          carryCount += count
          offerCarry()
        }
      }
      if count > 0 {
        if count < room { return false }
      } else if count == 0 {
        hasInputEnded = true
        loop.interestChanged(self)
        tellInputEnd()
        return false
      } else if errno == EINTR {
        continue
      } else {
        if errno != EAGAIN { doom(TransportError("read from \(peer)", errno)) }
        return false
      }
    }
    return wantsInput
  }

  /// Gives the handler again what it has left, after `resumeReading()`; true if more can be read.
  func offerAgain() -> Bool {
    guard isReading, life == .open else { return false }
    if carryCount > 0 { offerCarry() }
    guard isReading, life == .open else { return false }
    if hasInputEnded {
      tellInputEnd()
      return false
    }
    return readAvailable()
  }

  private func offerCarry() {
    guard let carry else { return }
    let used = offer(UnsafeRawBufferPointer(start: carry, count: carryCount))
    keep(carry + used, carryCount - used)
  }

  private func offer(_ buffer: UnsafeRawBufferPointer) -> Int {
    guard let handler else { return buffer.count }
    return handler.connection(self, received: buffer)
  }

  private func keep(_ start: UnsafeMutableRawPointer, _ count: Int) {
    carryCount = count
    guard count > 0 else {
      carry?.deallocate()
      carry = nil
      carryCapacity = 0
      return
    }
    if start == carry { return }
    if carryCapacity < count {
      let larger = UnsafeMutableRawPointer.allocate(byteCount: max(count, 256), alignment: 16)
      larger.copyMemory(from: start, byteCount: count)
      carry?.deallocate()
      carry = larger
      carryCapacity = max(count, 256)
    } else {
      carry?.copyMemory(from: start, byteCount: count)
    }
  }

  private func growCarry(to size: Int) {
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: max(size, 2 * EventLoop.readSize),
      alignment: 16
    )
    if let carry { larger.copyMemory(from: carry, byteCount: carryCount) }
    carry?.deallocate()
    carry = larger
    carryCapacity = max(size, 2 * EventLoop.readSize)
  }

  private func tellInputEnd() {
    guard isReading, !isInputEndTold else { return }
    isInputEndTold = true
    handler?.connectionInputEnded(self)
  }

  // MARK: Output

  /// Appends `prefix`, `body` and a line feed if wanted; sent at the end of the turn.
  @inlinable @inline(__always)
  public func append(
    _ prefix: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer,
    newline: Bool
  ) {
    let count = prefix.count &+ body.count &+ (newline ? 1 : 0)
    if capacity &- tail < count { makeRoom(count) }
    guard let base else { return }
    var place = base + tail
    if let start = prefix.baseAddress {
      place.copyMemory(from: start, byteCount: prefix.count)
      place += prefix.count
    }
    if let start = body.baseAddress {
      place.copyMemory(from: start, byteCount: body.count)
      place += body.count
    }
    if newline { place.storeBytes(of: 10, as: UInt8.self) }
    tail &+= count
    if !isDirty { markDirty() }
  }

  /// Appends octets; sent at the end of the turn.
  public func append(_ bytes: UnsafeRawBufferPointer) {
    append(bytes, UnsafeRawBufferPointer(start: nil, count: 0), newline: false)
  }

  /// Appends text; sent at the end of the turn.
  public func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  @usableFromInline @inline(never)
  func markDirty() {
    isDirty = true
    loop.noteDirty(self)
  }

  /// Makes room for `count` octets: a full chunk is sent while it is in the cache.
  @usableFromInline @inline(never)
  func makeRoom(_ count: Int) {
    guard life == .open else {
      head = 0
      tail = 0
      if capacity < count { reallocate(count) }
      return
    }
    guard let base else {
      if count <= ChunkPool.chunk {
        self.base = loop.pool.take()
        capacity = ChunkPool.chunk
      } else {
        self.base = .allocate(byteCount: count, alignment: 64)
        capacity = count
      }
      return
    }
    if !isBlocked { send() }
    let left = tail - head
    if capacity - left >= count, head >= left {
      base.copyMemory(from: base + head, byteCount: left)
      head = 0
      tail = left
    } else if capacity - tail < count {
      var size = capacity * 2
      while size < left + count { size *= 2 }
      reallocate(size)
    }
  }

  private func reallocate(_ size: Int) {
    let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    if let base {
      larger.copyMemory(from: base + head, byteCount: tail - head)
      loop.pool.give(base, capacity: capacity)
    }
    base = larger
    tail -= head
    head = 0
    capacity = size
  }

  /// Sends what the kernel takes now; for use within a turn, which does it at its end anyway.
  public func flush() {
    isDirty = false
    guard life == .open else { return }
    if !isBlocked, unsent > 0 { send() }
    afterSending()
  }

  /// The socket takes more again.
  func writable() {
    guard life == .open else { return }
    isBlocked = false
    send()
    afterSending()
    loop.interestChanged(self)
  }

  private func send() {
    guard let base else { return }
    while head < tail {
      let count = Glibc.send(descriptor, base + head, tail - head, Int32(MSG_NOSIGNAL))
      if count > 0 {
        head += count
        guard head < tail else { return }
      } else if errno == EINTR {
        continue
      } else if errno != EAGAIN {
        return doom(TransportError("send to \(peer)", errno))
      }
      isBlocked = true
      isDrainDue = true
      loop.interestChanged(self)
      return
    }
  }

  private func afterSending() {
    guard life == .open else { return }
    if head == tail, let base {
      loop.pool.give(base, capacity: capacity)
      self.base = nil
      head = 0
      tail = 0
      capacity = 0
    }
    if isDrainDue, unsent <= lowWater {
      if unsent == 0 { isDrainDue = false }
      handler?.connectionDrained(self)
    }
    if closesWhenSent, head == tail { doom(nil) }
  }

  // MARK: The end

  /// Closes at the end of the turn, after sending what the kernel takes.
  public func close() {
    flush()
    doom(nil)
  }

  /// Takes no more input, and closes once all output is sent.
  public func closeAfterFlush() {
    guard life == .open else { return }
    closesWhenSent = true
    hasInputEnded = true
    isInputEndTold = true
    loop.interestChanged(self)
    if !isDirty { markDirty() }
  }

  /// Has the kernel ask the peer every so many seconds whether it is still there.
  public func setKeepAlive(seconds: Int32) {
    guard life == .open, peer.family != AF_UNIX else { return }
    setOption(SOL_SOCKET, SO_KEEPALIVE, 1)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPIDLE, seconds)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPINTVL, seconds)
    setOption(Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
  }

  private func setOption(_ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The peer has hung up: nothing can be sent, but what it sent before can be read.
  func hungUp() {
    if isReading, !hasInputEnded { return }
    doom(TransportError("connection to \(peer)", ECONNRESET))
  }

  func doom(_ error: TransportError?) {
    guard life == .open else { return }
    life = .doomed(error)
    head = 0
    tail = 0
    loop.noteDoomed(self)
  }

  /// The end of the turn in which it was doomed.
  func finish() {
    guard case .doomed(let error) = life else { return }
    life = .closed
    if let base { loop.pool.give(base, capacity: capacity) }
    base = nil
    capacity = 0
    handler?.connectionClosed(self, error)
    handler = nil
  }
}
