import Glibc

extension Connection {
  /// Puts `framing` between the socket and the handler from now on.
  ///
  /// Output from before is sent as it is, and `written` begins at 0 again.
  package func begin(_ framing: Framing) {
    let count = state.output.count
    unsafe framing.frames.append(
      contentsOf: UnsafeRawBufferPointer(start: state.output.start, count: count)
    )
    state.output.consume(count)
    sent = 0
    state.framing = framing
  }

  /// Takes frames that were read before `begin`; the handler is given their content within this turn.
  package func takeFrames(_ bytes: UnsafeRawBufferPointer) {
    guard let framing = state.framing, isOpen else { return }
    // A copy, since the content goes where the frames may be.
    unsafe Array(bytes).withUnsafeBytes { unsafe framing.take($0, for: self) }
    pauseReading()
    resumeReading()
  }

  /// Adds bytes of a frame to the input of the handler.
  package func give(_ content: [UInt8]) {
    unsafe content.withUnsafeBytes { unsafe state.carry.append($0) }
  }

  // MARK: Input

  /// Gives the handler the content of what was read.
  func receive(_ bytes: UnsafeRawBufferPointer, in framing: Framing) {
    if !framing.hasEnded { unsafe framing.take(bytes, for: self) }
    touch()
    offerCarry()
    endInput(of: framing)
  }

  /// Tells the handler that its input has ended, once it has had all that came before the last frame.
  func endInput(of framing: Framing) {
    guard framing.phase == .ending, isOpen, !isPaused else { return }
    framing.phase = .ended
    state.handler?.connectionInputEnded(self)
    state.carry.free()
  }

  // MARK: Output

  /// Sends output in frames, as long as the kernel takes them.
  func send(in framing: Framing) {
    while makeFrames(framing) {
      let wanted = framing.frames.count
      let count = unsafe framing.frames.withUnsafeBytes { frames in
        guard let start = frames.baseAddress else { return 0 }
        return unsafe turnState.platform.send(descriptor, start, frames.count)
      }
      if count == -Int(EINTR) { continue }
      sent(count, of: wanted)
      if isFull || hasFailed { return }
      // The peer is to see the end at once, however long the handler takes for the last input.
      if isOpen, framing.hasEnded { turnState.platform.shutDownOutput(descriptor) }
    }
  }

  /// Whether there are frames to send, if need be new ones.
  private func makeFrames(_ framing: Framing) -> Bool {
    let count = state.output.count
    unsafe framing.refill(from: UnsafeRawBufferPointer(start: state.output.start, count: count))
    if !framing.frames.isEmpty { return true }
    if !isOpen, !framing.hasEnded {
      framing.finish()
      framing.end()
    }
    if framing.hasEnded {
      // Nobody is sent the rest.
      state.output.consume(count)
      sent += count
    }
    return !framing.frames.isEmpty
  }
}
