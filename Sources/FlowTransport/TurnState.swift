/// What the connections of a loop share within its turns: memory, and the list of who has
/// something to settle.
///
/// An object of its own since each octet passes by here. The loop is referred to weakly from other
/// threads, which makes each reference to it that is taken or given back a slow one.
final class TurnState {
  let chunks = ChunkPool()
  let readBuffer = UnsafeMutableRawPointer.allocate(byteCount: 64 << 10, alignment: 64)
  let sendGroup = SendGroup()
  /// Whether a socket has to be read until it is empty.
  let readsUntilEmpty: Bool

  @exclusivity(unchecked) var octetsRead = 0
  @exclusivity(unchecked) var octetsWritten = 0
  @exclusivity(unchecked) var isUnderWay = false

  // Each list has another one beside it, which takes what comes while the first is gone through.
  // The loop keeps a connection until the end of the turn in which it was finished.
  @exclusivity(unchecked) private var runnable: ContiguousArray<Unmanaged<Connection>> = []
  @exclusivity(unchecked) private var resumed: ContiguousArray<Unmanaged<Connection>> = []
  @exclusivity(unchecked) private var touched: ContiguousArray<Unmanaged<Connection>> = []
  @exclusivity(unchecked) private var settled: ContiguousArray<Unmanaged<Connection>> = []

  init(readsUntilEmpty: Bool) {
    self.readsUntilEmpty = readsUntilEmpty
  }

  deinit {
    readBuffer.deallocate()
  }

  /// Whether a turn has to be asked for: the first of those with something to do is not within one.
  var wantsTurn: Bool { !isUnderWay && runnable.count + touched.count == 1 }

  var hasRunnable: Bool { !runnable.isEmpty }

  /// Whether no connection has anything to settle any more.
  var isSettled: Bool { runnable.isEmpty && touched.isEmpty }

  /// The connection has something to settle at the end of the turn.
  func touch(_ connection: Connection) { touched.append(.passUnretained(connection)) }

  /// The connection is to be given its kept input within the turn.
  func makeRunnable(_ connection: Connection) { runnable.append(.passUnretained(connection)) }

  /// Gives connections their kept input.
  func resume() {
    while !runnable.isEmpty {
      swap(&runnable, &resumed)
      for connection in resumed { connection._withUnsafeGuaranteedRef { $0.resume() } }
      resumed.removeAll(keepingCapacity: true)
    }
  }

  /// Sends output, sets interest, ends what is to end; what handlers do then is another round.
  func settle() {
    swap(&touched, &settled)
    for connection in settled { connection._withUnsafeGuaranteedRef { $0.settle() } }
    settled.removeAll(keepingCapacity: true)
  }
}
