import Glibc

extension Connection {
  /// Puts `codec` between the socket and the handler from now on.
  ///
  /// Earlier output is sent as it is, and `written` begins at 0 again.
  package func begin(_ codec: Codec) {
    let count = state.output.count
    unsafe codec.frames.append(
      contentsOf: UnsafeRawBufferPointer(start: state.output.start, count: count)
    )
    state.output.consume(count)
    sent = 0
    state.codec = codec
  }

  /// Decodes frames that were read before `begin`; the handler gets their content within this turn.
  package func takeFrames(_ bytes: UnsafeRawBufferPointer) {
    guard let codec = state.codec, isOpen else { return }
    // A copy, since the content goes where the frames may be.
    unsafe Array(bytes).withUnsafeBytes { unsafe codec.take($0, for: self) }
    pauseReading()
    resumeReading()
  }

  /// Adds bytes of a frame to the input of the handler.
  package func give(_ content: [UInt8]) {
    unsafe content.withUnsafeBytes { unsafe state.carry.append($0) }
  }

  // MARK: Input

  /// Gives the handler the content of frames that were read.
  func receive(_ bytes: UnsafeRawBufferPointer, through codec: Codec) {
    if !codec.hasEnded { unsafe codec.take(bytes, for: self) }
    touch()
    if !isPaused { offerCarry() }
    endInput(of: codec)
  }

  /// Tells the handler that its input has ended, behind the content of the last frame.
  func endInput(of codec: Codec) {
    guard codec.phase == .ending, isOpen else { return }
    guard !isPaused else { return limitWait(of: codec) }
    codec.phase = .ended
    state.handler?.connectionInputEnded(self)
    state.carry.free()
  }

  /// Sends the last frame after a while, even if the handler still waits: it may for as long as it likes.
  private func limitWait(of codec: Codec) {
    if codec.isLimited { return }
    codec.isLimited = true
    loop.run(at: loop.now + Codec.patience) { [weak self] in
      guard let self, isOpen, let codec = state.codec else { return }
      codec.isLate = true
      flush()
      touch()
    }
  }

  // MARK: Output

  /// Sends output as frames, while the kernel takes them.
  func send(through codec: Codec) {
    while makeFrames(codec) {
      let wanted = codec.frames.count
      let count = unsafe codec.frames.withUnsafeBytes { frames in
        guard let start = frames.baseAddress else { return 0 }
        return unsafe turnState.platform.send(descriptor, start, frames.count)
      }
      if count == -Int(EINTR) { continue }
      sent(count, of: wanted)
      if isFull || hasFailed { return }
      // The peer is to see the end, however long the handler takes for the last input.
      if isOpen, codec.isFinished { turnState.platform.shutDownOutput(descriptor) }
    }
  }

  /// Makes new frames if the last ones are sent; returns whether there are any to send.
  private func makeFrames(_ codec: Codec) -> Bool {
    let count = state.output.count
    unsafe codec.refill(from: UnsafeRawBufferPointer(start: state.output.start, count: count))
    if !codec.frames.isEmpty { return true }
    if !isOpen || codec.isLate { codec.finishOnce() }
    if codec.isFinished {
      // Nothing may follow the last frame.
      state.output.consume(count)
      sent += count
    }
    return !codec.frames.isEmpty
  }
}
