import Glibc

extension Connection {
  private static let most = 128 << 10
  /// A kept rest up to this size is copied in front of what is read next; a larger one grows.
  private static let largestCopied = 16 << 10

  /// Reads once and hands on what came; returns whether there may be more right away.
  ///
  /// Then it is the next connection's turn: what came goes out, and grants go back, while the peer
  /// sends more.
  @discardableResult
  func readOnce() -> Bool {
    let kept = state.codec == nil ? state.carry.count : 0
    let isGrowing = kept > Self.largestCopied
    let room = isGrowing ? Self.most : Self.most - kept
    let place = unsafe isGrowing ? state.carry.makeRoom(for: room) : turnState.readBuffer + kept
    let count = unsafe turnState.platform.read(descriptor, into: place, room)
    if count < 0 {
      if count == -Int(EINTR) { return true }
      if count != -Int(EAGAIN), !Self.isShortage(count) { fail("read from", Int32(-count)) }
      return false
    }
    if count == 0 {
      inputEnded()
      return false
    }
    turnState.bytesRead += count
    if isOpen {
      if let codec = state.codec {
        unsafe receive(UnsafeRawBufferPointer(start: place, count: count), through: codec)
      } else if isGrowing {
        grow(count)
      } else {
        offer(kept: kept, new: count)
      }
    }
    return count == room
  }

  private func grow(_ count: Int) {
    state.carry.grew(by: count)
    offerCarry()
  }

  private func offer(kept: Int, new: Int) {
    let buffer = unsafe turnState.readBuffer
    if kept > 0, let bytes = unsafe state.carry.bytes.baseAddress {
      unsafe memcpy(buffer, bytes, kept)
      state.carry.consume(kept)
    }
    let all = unsafe UnsafeRawBufferPointer(start: buffer, count: kept + new)
    let used = unsafe hand(all)
    if isOpen { unsafe state.carry.append(UnsafeRawBufferPointer(rebasing: all[used...])) }
  }

  /// Gives the kept input to the handler, in place.
  func offerCarry() {
    let all = unsafe state.carry.bytes
    guard all.count > 0 else { return }
    let used = unsafe hand(all)
    if isOpen { state.carry.consume(used) }
  }

  /// Returns how much the handler used.
  private func hand(_ all: UnsafeRawBufferPointer) -> Int {
    guard let handler = state.handler else {
      close()
      return all.count
    }
    let used = unsafe handler.connection(self, received: all)
    precondition((0...all.count).contains(used), "used \(used) bytes of \(all.count)")
    return used
  }
}
