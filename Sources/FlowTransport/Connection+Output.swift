import CLinux
import Glibc

extension Connection {
  /// Adds two pieces and optionally a line feed; they are sent at the end of the turn.
  @inlinable
  public func append(
    _ prefix: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer,
    newline: Bool
  ) {
    let count = prefix.count &+ body.count &+ (newline ? 1 : 0)
    guard state.output.hasRoom(for: count) || makeRoom(for: count) else { return }
    unsafe state.output.put(prefix)
    unsafe state.output.put(body)
    if newline { state.output.put(0x0A) }
  }

  /// Adds a line that `write` puts in place, at most `most` bytes; it returns their number.
  @inlinable @inline(__always)
  public func append(lineUpTo most: Int, _ write: (UnsafeMutableRawPointer) -> Int) {
    guard state.output.hasRoom(for: most &+ 1) || makeRoom(for: most &+ 1) else { return }
    unsafe state.output.put(write)
    state.output.put(0x0A)
  }

  /// Sends many bytes; only those that the kernel does not take at once are copied.
  public func send(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.worthwhile, isOpen, !isFull, !hasFailed, state.codec == nil else {
      return unsafe append(bytes)
    }
    turnState.sendGroup.noteLarge(from: id)
    if turnState.sendGroup.isCollecting { return unsafe append(bytes) }
    if state.output.count > 0 { send() }
    guard state.output.count == 0, !isFull, !hasFailed else {
      return unsafe append(bytes)
    }
    guard let start = bytes.baseAddress else { return }
    let count = unsafe turnState.platform.send(descriptor, start, bytes.count)
    if count < 0, count != -Int(EAGAIN), count != -Int(EINTR) {
      guard Self.isShortage(count) else { return outputFailed(Int32(-count)) }
      sendLater()
    }
    noteSent(max(count, 0))
    guard count < bytes.count else { return }
    isFull = count != -Int(EINTR)
    unsafe append(UnsafeRawBufferPointer(rebasing: bytes[max(count, 0)...]))
    touch()
  }

  /// The size in bytes from which copying costs more than a system call.
  private static let worthwhile = 16 << 10

  /// Adds lines, each after `prefix` and before a line feed.
  public func append(
    lines: UnsafeBufferPointer<UnsafeRawBufferPointer>,
    after prefix: UnsafeRawBufferPointer
  ) {
    var rest = unsafe lines
    while true {
      unsafe rest = unsafe .init(rebasing: rest[state.output.put(rest, after: prefix)...])
      guard let next = unsafe rest.first else { return }
      let count = prefix.count + next.count + 1
      guard state.output.hasRoom(for: count) || makeRoom(for: count) else { return }
    }
  }

  /// Adds bytes, sent at the end of the turn or when a chunk is full.
  ///
  /// If the connection is closed or failed, they are dropped.
  @inlinable
  public func append(_ bytes: UnsafeRawBufferPointer) {
    guard state.output.hasRoom(for: bytes.count) || makeRoom(for: bytes.count) else { return }
    unsafe state.output.put(bytes)
  }

  @inlinable
  public func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }

  /// Sends what the kernel takes now; a failure is reported at the end of the turn.
  public func flush() {
    guard !isFull, state.output.isAllocated || state.codec != nil else { return }
    send()
    if state.output.count == 0 { state.output.release(to: turnState.chunks) }
  }

  // A connection with memory and a writable socket is already touched: only allocating memory must
  // touch it, appending need not.
  @usableFromInline
  func makeRoom(for count: Int) -> Bool {
    guard isOpen, !hasFailed else { return false }
    if !state.output.isAllocated {
      state.output.allocate(for: count, from: turnState.chunks)
      touch()
      return true
    }
    // Sends a full chunk while it is in the cache.
    if !isFull { send() }
    if hasFailed { return false }
    if !state.output.hasRoom(for: count) {
      state.output.makeRoom(for: count, from: turnState.chunks)
    }
    return true
  }

  /// Continues to send when a full socket has room again.
  func writable() {
    guard isFull else { return }
    let before = unsent
    isFull = false
    flush()
    touch()
    guard isOpen, !hasFailed else { return }
    if unsent == 0 || before > Int(lowWater) && unsent <= Int(lowWater) {
      state.handler?.connectionDrained(self)
    }
  }

  private func send() {
    if let codec = state.codec { return send(through: codec) }
    while state.output.count > 0, let start = unsafe state.output.start {
      let wanted = state.output.count
      let count = unsafe turnState.platform.send(descriptor, start, wanted)
      if count != -Int(EINTR) { return sent(count, of: wanted) }
    }
  }

  /// Handles the result of a send: the number of `wanted` bytes taken, or a negative error.
  func sent(_ count: Int, of wanted: Int) {
    if count >= 0 {
      let ofOutput = state.codec?.consume(count) ?? count
      state.output.consume(ofOutput)
      sent += ofOutput
      turnState.bytesWritten += count
    } else if Self.isShortage(count) {
      sendLater()
    } else if count != -Int(EAGAIN) {
      return outputFailed(Int32(-count))
    }
    isFull = count < wanted
  }

  /// Whether the kernel temporarily had no memory for a call.
  static func isShortage(_ result: Int) -> Bool {
    result == -Int(ENOBUFS) || result == -Int(ENOMEM)
  }

  /// Retries later: with room in the socket, no event reports that the kernel has memory again.
  private func sendLater() {
    if isStarved { return }
    isStarved = true
    let patience: UInt64 = 10_000_000
    loop.run(at: loop.now + patience) { [weak self] in
      guard let self else { return }
      isStarved = false
      if isOpen || isFlushing { writable() }
    }
  }

  private func noteSent(_ count: Int) {
    sent += count
    turnState.bytesWritten += count
  }

  /// The output to send, if it is large.
  var largeSend: SendGroup.Send? {
    guard !isFull, !hasFailed, state.output.count >= Self.worthwhile, state.codec == nil,
      let start = unsafe state.output.start
    else { return nil }
    return unsafe SendGroup.Send(
      descriptor: descriptor,
      start: UnsafeRawPointer(start),
      count: state.output.count
    )
  }

  /// Handles a send of the loop's group.
  func sent(_ send: SendGroup.Send) {
    guard send.result != -Int(EINTR) else { return flush() }
    sent(send.result, of: send.count)
    if state.output.count == 0 { state.output.release(to: turnState.chunks) }
  }

  /// Leaves output to a later turn, which calls `sendHeldBack()`, because too many connections have some
  /// now.
  public func holdBack() { isHeldBack = true }

  /// Sends output that was held back.
  public func sendHeldBack() {
    isHeldBack = false
    flush()
    touch()
  }

  /// Only records the failure, because the caller may be iterating over its subscribers.
  private func outputFailed(_ errno: Int32) {
    state.outputFailure = .failed(TransportError("send to \(peer)", errno))
    state.output.release(to: turnState.chunks)
    touch()
  }
}
