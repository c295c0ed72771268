/// What the connections of a loop share within its turns: memory, and the list of who has
/// something to settle.
///
/// An object of its own since each byte passes by here. The loop is referred to weakly from other
/// threads, which makes each reference to it that is taken or given back a slow one.
@safe
final class TurnState {
  let chunks = ChunkPool()
  let readBuffer = UnsafeMutableRawPointer.allocate(byteCount: 128 << 10, alignment: 64)
  let sendGroup: SendGroup
  let platform: any Platform

  var bytesRead = 0
  var bytesWritten = 0
  var isUnderWay = false

  /// Each list has another one beside it, which takes what comes while the first is gone through.
  ///
  /// The loop keeps a connection until the end of the turn in which it was finished (memory 4).
  @safe
  private struct Lists {
    var runnable: ContiguousArray<Unmanaged<Connection>> = unsafe []
    var resumed: ContiguousArray<Unmanaged<Connection>> = unsafe []
    var touched: ContiguousArray<Unmanaged<Connection>> = unsafe []
    var settled: ContiguousArray<Unmanaged<Connection>> = unsafe []
  }

  @safe @exclusivity(unchecked) private var lists = Lists()  // memory 6

  init(_ platform: any Platform) {
    self.platform = platform
    sendGroup = SendGroup(platform)
  }

  deinit {
    unsafe readBuffer.deallocate()
  }

  /// Whether a turn has to be asked for: the first of those with something to do is not within one.
  var wantsTurn: Bool { unsafe !isUnderWay && lists.runnable.count + lists.touched.count == 1 }

  var hasRunnable: Bool { unsafe !lists.runnable.isEmpty }

  /// Whether no connection has anything to settle any more.
  var isSettled: Bool { unsafe lists.runnable.isEmpty && lists.touched.isEmpty }

  /// The connection has something to settle at the end of the turn.
  func touch(_ connection: Connection) { unsafe lists.touched.append(.passUnretained(connection)) }

  /// The connection is to be given its kept input within the turn.
  func makeRunnable(_ connection: Connection) {
    unsafe lists.runnable.append(.passUnretained(connection))
  }

  /// Gives connections their kept input.
  func resume() {
    while unsafe !lists.runnable.isEmpty {
      unsafe swap(&lists.runnable, &lists.resumed)
      unsafe each(of: lists.resumed) { $0.resume() }
      unsafe lists.resumed.removeAll(keepingCapacity: true)
    }
  }

  /// Sends output, sets interest, ends what is to end; what handlers do then is another round.
  func settle() {
    unsafe swap(&lists.touched, &lists.settled)
    unsafe each(of: lists.settled) { $0.settle() }
    unsafe lists.settled.removeAll(keepingCapacity: true)
  }

  private func each(
    of connections: ContiguousArray<Unmanaged<Connection>>,
    _ body: (Connection) -> Void
  ) {
    for index in unsafe connections.indices {
      unsafe connections[index]._withUnsafeGuaranteedRef(body)
    }
  }
}
