/// A connected socket: input to its handler, output collected and sent at the end of each turn.
///
/// Everything but holding a reference happens on the loop's queue, which is what makes it Sendable.
public final class Connection: @unchecked Sendable {
  /// The handler of the connection, kept until it is told of the end.
  ///
  /// Without one the connection is closed at the next input.
  public var handler: (any ConnectionHandler)? {
    get { state.handler }
    set { state.handler = newValue }
  }

  /// A number that no other connection of the loop has or will have.
  public let id: Int

  /// The other side; for a Unix socket the path that both met at.
  ///
  /// Whoever knows that a proxy speaks for somebody else says so here.
  public package(set) var peer: SocketAddress

  /// Whether the socket is full, so that output waits here.
  public var isBlocked: Bool { isFull }

  /// When a full socket's unsent output falls to this many bytes, the handler is told.
  public var lowWater: UInt32 = 128 << 10

  /// Whether input is being held back.
  public var isPaused: Bool { isReadingPaused }

  /// Whether the peer ended its side.
  public var isInputEnded: Bool { hasInputEnded }

  var sent = 0

  enum Phase {
    /// Input goes to the handler, output to the peer.
    case open
    /// Input is dropped, the rest of the output goes to the peer.
    case flushing
    /// The output is out and its end told to the peer, whose own end is awaited for a moment.
    case lingering
    /// To be finished at the end of the turn; indirect, since every connection has room for a phase.
    indirect case closing(TransportError?)
    case closed
  }

  // Used while open only: a loop that dies abandons its connections (memory 3).
  @safe unowned(unsafe) let loop: EventLoop
  let turnState: TurnState
  let descriptor: Int32
  /// The interest that the watch was given last.
  private var interest: Interest = .read
  private var isTouched = false
  private var isRunnable = false
  /// The index in the loop's array of connections.
  var place: Int32 = -1
  private var isReadingPaused = false
  private var hasInputEnded = false
  var isFull = false
  /// Whether it is full since the kernel had no memory: the poller does not tell then that it has
  /// room.
  var isStarved = false
  /// Whether what is unsent is left to a later turn.
  var isHeldBack = false

  // The plain ones among the variables need no mark: no other room sees them, so the compiler
  // proves each use of them exclusive.
  @usableFromInline
  struct State {
    var handler: (any ConnectionHandler)?
    @usableFromInline var output = OutputBuffer()
    var phase = Phase.open
    var outputFailure = OutputFailure.none
    var carry = InputCarry()
    var watch: (any Watch)?
    /// Frames input and output, if the peer expects frames.
    var codec: Codec?
  }

  /// Why nothing more can be sent; indirect, as every connection has room for it.
  enum OutputFailure {
    case none
    indirect case failed(TransportError)
  }

  /// Whether output has failed.
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
    // Never registered: its loop was gone before.
    turnState.platform.close(descriptor)
  }

  /// Whether neither side has closed it yet and no error has.
  public var isOpen: Bool {
    if case .open = state.phase { true } else { false }
  }

  /// Input that the handler has left unused; the bytes are valid during a call of the handler only.
  public var unread: UnsafeRawBufferPointer { unsafe state.carry.bytes }

  /// The number of bytes of output in all, with the unsent ones.
  public var written: Int { sent + unsent }

  /// The number of bytes of output that the kernel has not taken yet.
  @inlinable
  public var unsent: Int { state.output.count }

  /// The memory that its input and output take.
  public var held: Int {
    state.carry.capacity + state.output.capacity + (state.codec?.held ?? 0)
  }

  /// Keeps input back: what came is kept, and once the kernel's buffers are full the peer waits.
  ///
  /// Within `received` it takes effect with the bytes that call leaves unused.
  public func pauseReading() {
    guard isOpen, !isReadingPaused else { return }
    isReadingPaused = true
    touch()
  }

  /// Reads again: within this turn the kept input is given to the handler again.
  public func resumeReading() {
    guard isOpen, isReadingPaused else { return }
    isReadingPaused = false
    touch()
    if isRunnable { return }
    isRunnable = true
    turnState.makeRunnable(self)
    if turnState.wantsTurn { startTurn() }
  }

  /// As `resumeReading()`, but the kept bytes are given to the handler before this returns.
  ///
  /// Not to be called while it is given some.
  public func resumeReadingNow() {
    guard isOpen, isReadingPaused else { return }
    isReadingPaused = false
    touch()
    resume()
  }

  /// Limits the bytes that the kernel holds for a peer that does not read, to about `bytes`.
  package func limitOutput(to bytes: Int32) {
    turnState.platform.limitOutput(descriptor, to: bytes)
  }

  /// Closes after sending what the kernel takes now; the handler is told at the end of the turn.
  public func close() {
    switch state.phase {
    case .closing, .closed, .lingering: return
    case .open, .flushing: break
    }
    // Nothing comes any more, so a codec adds its last frame.
    state.phase = .flushing
    flush()
    end(nil)
  }

  /// Closes once all output is sent.
  ///
  /// Input is dropped from now on, further output as well. The handler is told when the output is out.
  /// The socket then waits for the peer's end, two seconds, or as long as `Lingering` says, since
  /// closing it over unread input would destroy output on its way.
  public func closeAfterFlush() {
    guard case .open = state.phase else { return }
    state.phase = .flushing
    state.output.seal()
    state.carry.free()
    isReadingPaused = false
    touch()
  }

  /// Closes at once by a reset: what is unsent is dropped, and the peer is told so.
  ///
  /// For a peer that does not read: an orderly end would wait in the kernel for it.
  public func reset() {
    switch state.phase {
    case .closing, .closed: return
    case .open, .flushing, .lingering: break
    }
    turnState.platform.resetOnClose(descriptor)
    end(nil)
  }

  /// Whether all was sent, and the peer's end is awaited.
  var isLingering: Bool { if case .lingering = state.phase { true } else { false } }

  /// Whether it was closed with output that is still to be sent.
  public var isFlushing: Bool {
    if case .flushing = state.phase { true } else { false }
  }
}

// MARK: - From opening to closing

extension Connection {
  /// Begins to be served by the loop, once its handler is set.
  func register() {
    loop.add(self)
    do {
      state.watch = try loop.poller.watch(descriptor, for: self, interest: .read)
      // Who is turned away is still to hear why.
      if state.handler == nil, isOpen { close() }
    } catch {
      end(error)
    }
  }

  /// Reads what came with the connection, and sends what there is to say.
  ///
  /// That leaves in one piece, if the peer did not wait to be greeted. Of thousands who come
  /// together none keeps a chunk of memory.
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

  /// Marks the connection: the handler is told at the end of the turn.
  func end(_ error: TransportError?) {
    state.phase = .closing(error)
    state.output.release(to: turnState.chunks)
    state.carry.free()
    touch()
  }

  /// Gives the kept input to the handler again.
  func resume() {
    isRunnable = false
    guard isOpen, !isReadingPaused else { return }
    offerCarry()
    if let codec = state.codec { endInput(of: codec) }
  }

  /// Brings the socket in line with what the turn left.
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

  /// The peer takes nothing more; what it sent before is still heard.
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

  /// Waits for the peer's end, for longer while output is on its way to it: if the peer says anything
  /// after the close, the kernel destroys that.
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

  /// Abandons the connection, as the loop ends: tells the handler nothing, and sends nothing.
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
    // What was kept comes before what is new, and before the end above all.
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

  /// Whether frames are read while the handler waits: so pings are answered at once.
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
      // With an error to be told there is nothing left to go on with.
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
