/// A connected socket: input goes to its handler, output is sent at the end of each turn.
///
/// Unchecked: other threads may hold a reference; everything else happens on the loop's queue.
public final class Connection: @unchecked Sendable {
  /// The handler, kept until it is told of the end.
  ///
  /// Without one, the connection closes at the next input.
  public var handler: (any ConnectionHandler)? {
    get { state.handler }
    set { state.handler = newValue }
  }

  /// A number that is unique in the loop's lifetime.
  public let id: Int

  /// The peer's address, or the shared path of a Unix socket.
  ///
  /// It is replaced when a proxy header names the real peer.
  public package(set) var peer: SocketAddress

  /// Whether the socket is full and output waits here.
  public var isBlocked: Bool { isFull }

  /// When a full socket's unsent output falls to this many bytes, the handler is told.
  public var lowWater: UInt32 = 128 << 10

  public var isPaused: Bool { isReadingPaused }

  /// Whether the peer has ended its side.
  public var isInputEnded: Bool { hasInputEnded }

  var sent = 0

  enum Phase {
    /// Input goes to the handler, output to the peer.
    case open
    /// Input is dropped, the rest of the output goes to the peer.
    case flushing
    /// Output and its end are sent; the peer's end is awaited for a moment.
    case lingering
    /// Ends with the turn; indirect to keep every connection small.
    indirect case closing(TransportError?)
    case closed
  }

  // Used while open only: a loop that dies abandons its connections (memory 3).
  @safe unowned(unsafe) let loop: EventLoop
  let turnState: TurnState
  let descriptor: Int32
  /// The last interest given to the watch.
  private var interest: Interest = .read
  private var isTouched = false
  private var isRunnable = false
  /// The index in the loop's `connections`.
  var place: Int32 = -1
  private var isReadingPaused = false
  private var hasInputEnded = false
  var isFull = false
  /// Whether it is full because the kernel had no memory; the poller does not report when it has.
  var isStarved = false
  /// Whether unsent output waits for a later turn.
  var isHeldBack = false

  // Plain variables need no mark: no other module sees them, so the compiler proves exclusivity.
  @usableFromInline
  struct State {
    var handler: (any ConnectionHandler)?
    @usableFromInline var output = OutputBuffer()
    var phase = Phase.open
    var outputFailure = OutputFailure.none
    var carry = InputCarry()
    var watch: (any Watch)?
    /// The codec, if the peer expects frames.
    var codec: Codec?
  }

  /// Why no more can be sent; indirect to keep every connection small.
  enum OutputFailure {
    case none
    indirect case failed(TransportError)
  }

  var hasFailed: Bool { if case .none = state.outputFailure { false } else { true } }

  @safe @exclusivity(unchecked) @usableFromInline var state = State()  // memory 6

  init(_ descriptor: Int32, peer: SocketAddress, loop: EventLoop) {
    self.descriptor = descriptor
    self.peer = peer
    self.loop = loop
    turnState = loop.turnState
    id = loop.makeConnectionID()
  }

  deinit {
    if case .closed = state.phase { return }
    // It was never registered: its loop was gone.
    turnState.platform.close(descriptor)
  }

  /// Whether it is neither closed by a side nor failed.
  public var isOpen: Bool {
    if case .open = state.phase { true } else { false }
  }

  /// Input that the handler has not consumed; valid during a call of the handler only.
  public var unread: UnsafeRawBufferPointer { unsafe state.carry.bytes }

  /// The number of bytes of output so far, unsent ones included.
  public var written: Int { sent + unsent }

  /// The number of output bytes that the kernel has not taken.
  @inlinable
  public var unsent: Int { state.output.count }

  /// The memory of its input and output, in bytes.
  public var held: Int {
    state.carry.capacity + state.output.capacity + (state.codec?.held ?? 0)
  }

  /// Pauses reading: input is kept, and once the kernel's buffers are full the peer waits.
  ///
  /// Within `received` it takes effect with the bytes that the call leaves unconsumed.
  public func pauseReading() {
    guard isOpen, !isReadingPaused else { return }
    isReadingPaused = true
    touch()
  }

  /// Resumes reading; the handler gets the kept input again within this turn.
  public func resumeReading() {
    guard isOpen, isReadingPaused else { return }
    isReadingPaused = false
    touch()
    if isRunnable { return }
    isRunnable = true
    turnState.makeRunnable(self)
    if turnState.wantsTurn { startTurn() }
  }

  /// Resumes reading and gives the handler the kept input before returning.
  ///
  /// It must not be called while the handler receives input.
  public func resumeReadingNow() {
    guard isOpen, isReadingPaused else { return }
    isReadingPaused = false
    touch()
    resume()
  }

  /// Limits the bytes that the kernel buffers for a slow peer to about `bytes`.
  package func limitOutput(to bytes: Int32) {
    turnState.platform.limitOutput(descriptor, to: bytes)
  }

  /// Closes after sending what the kernel takes now; the handler is told at the end of the turn.
  public func close() {
    switch state.phase {
    case .closing, .closed, .lingering: return
    case .open, .flushing: break
    }
    // No output follows, so the codec appends its last frame.
    state.phase = .flushing
    flush()
    end(nil)
  }

  /// Closes once all output is sent.
  ///
  /// Further input and output are dropped. The handler is told when the output is sent. The socket
  /// then waits for the peer's end, two seconds or as `Lingering` says, because closing it over
  /// unread input would destroy output in transit.
  public func closeAfterFlush() {
    guard case .open = state.phase else { return }
    state.phase = .flushing
    state.output.seal()
    state.carry.free()
    isReadingPaused = false
    touch()
  }

  /// Resets the connection: unsent output is dropped, and the peer sees an error.
  ///
  /// Use it for a peer that does not read, for which an orderly end would wait in the kernel.
  public func reset() {
    switch state.phase {
    case .closing, .closed: return
    case .open, .flushing, .lingering: break
    }
    turnState.platform.resetOnClose(descriptor)
    end(nil)
  }

  /// Whether all output is sent and the peer's end is awaited.
  var isLingering: Bool { if case .lingering = state.phase { true } else { false } }

  /// Whether it was closed with output still to be sent.
  public var isFlushing: Bool {
    if case .flushing = state.phase { true } else { false }
  }
}

// MARK: - From opening to closing

extension Connection {
  /// Starts service by the loop, once its handler is set.
  func register() {
    loop.add(self)
    do {
      state.watch = try loop.poller.watch(descriptor, for: self, interest: .read)
      // A rejected peer must still receive the reason.
      if state.handler == nil, isOpen { close() }
    } catch {
      end(error)
    }
  }

  /// Reads input that came with the connection, and sends the first output.
  ///
  /// If the peer did not wait for a greeting, the output leaves in one piece, and none of thousands
  /// of simultaneous connections keeps a chunk of memory.
  func begin() {
    if wantsRead { readOnce() }
    flush()
  }

  func touch() {
    if isTouched { return }
    isTouched = true
    turnState.touch(self)
    if turnState.wantsTurn { startTurn() }
  }

  /// Begins a turn for work on the queue that was not posted.
  private func startTurn() { loop.post {} }

  /// Closes at the end of the turn, when the handler is told.
  func end(_ error: TransportError?) {
    state.phase = .closing(error)
    state.output.release(to: turnState.chunks)
    state.carry.free()
    touch()
  }

  func resume() {
    isRunnable = false
    guard isOpen, !isReadingPaused else { return }
    offerCarry()
    if let codec = state.codec { endInput(of: codec) }
  }

  /// Applies the turn's changes to the socket.
  func settle() {
    isTouched = false
    switch state.phase {
    case .open, .flushing:
      if !isFull, !isHeldBack || !isOpen { flush() }
      if case .failed(let error) = state.outputFailure { return failOutput(error) }
      if case .flushing = state.phase, unsent == 0, !isFull { return linger() }
      updateInterest()
    case .lingering:
      updateInterest()
    case .closing(let error):
      finish(error)
    case .closed:
      break
    }
  }

  /// Handles an output failure; input that the peer sent before is still read.
  private func failOutput(_ error: TransportError) {
    while wantsRead, readOnce() {}
    finish(error)
  }

  private func updateInterest() {
    var interest: Interest = []
    if wantsRead { interest.insert(.read) }
    if isFull, !isStarved { interest.insert(.write) }
    if hasInputEnded { interest.insert(.hangUp) }
    if interest == self.interest { return }
    self.interest = interest
    state.watch?.update(interest)
  }

  private func linger() {
    if hasInputEnded { return finish(nil) }
    turnState.platform.shutDownOutput(descriptor)
    state.phase = .lingering
    tellClosed(nil)
    updateInterest()
    awaitEnd(Lingering())
  }

  /// Waits for the peer's end, longer while output is in transit: input after the close makes the
  /// kernel destroy it.
  private func awaitEnd(_ lingering: Lingering) {
    loop.run(at: loop.now + Lingering.pause) { [weak self] in
      guard let self, case .lingering = state.phase else { return }
      var lingering = lingering
      let unacknowledged = turnState.platform.unacknowledged(descriptor)
      guard lingering.shouldWait(unacknowledged) else { return end(nil) }
      awaitEnd(lingering)
    }
  }

  private func finish(_ error: TransportError?) {
    if case .closed = state.phase { return }
    state.phase = .closed
    state.output.release(to: turnState.chunks)
    state.carry.free()
    loop.remove(self)
    if let watch = state.watch { watch.close() } else { turnState.platform.close(descriptor) }
    state.watch = nil
    state.codec = nil
    tellClosed(error)
  }

  /// Abandons the connection when the loop ends, without telling the handler or sending output.
  func abandon() {
    state.phase = .closed
    state.handler = nil
    state.output.release(to: turnState.chunks)
    state.carry.free()
    if let watch = state.watch { watch.close() } else { turnState.platform.close(descriptor) }
    state.watch = nil
    state.codec = nil
  }

  private func tellClosed(_ error: TransportError?) {
    let told = state.handler
    state.handler = nil
    told?.connectionClosed(self, error)
  }
}

// MARK: - Input

extension Connection: Watched {
  package func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { writable() }
    // Kept input precedes new input, and the end.
    if isRunnable { resume() }
    if wantsRead {
      if !readiness.isDisjoint(with: [.readable, .hungUp]) { readOnce() }
    } else if readiness.contains(.hungUp) {
      if isReadingPaused {
        detach()
        state.handler?.connectionPeerVanished(self)
      } else {
        fail("read from", turnState.platform.pendingError(descriptor))
      }
    }
  }

  private func detach() {
    interest = []
    state.watch?.detach()
  }

  var wantsRead: Bool {
    switch state.phase {
    case .open: !hasInputEnded && (!isReadingPaused || readsAhead)
    case .flushing, .lingering: !hasInputEnded
    case .closing, .closed: false
    }
  }

  /// Whether frames are read while the handler waits, so that pings are answered at once.
  private var readsAhead: Bool {
    guard let codec = state.codec else { return false }
    return !codec.hasEnded && state.carry.count < Codec.mostAhead
  }

  func inputEnded() {
    hasInputEnded = true
    touch()
    switch state.phase {
    case .open:
      if let codec = state.codec {
        codec.end()
        return endInput(of: codec)
      }
      // After an error there is nothing to continue: the close tells the handler.
      if !hasFailed { state.handler?.connectionInputEnded(self) }
      state.carry.free()
    case .lingering:
      end(nil)
    case .flushing, .closing, .closed:
      break
    }
  }

  func fail(_ call: String, _ errno: Int32) {
    end(TransportError("\(call) \(peer)", errno))
  }
}
