/// The state that a loop's connections share within a turn: memory, and the connections to settle.
///
/// It is separate because every byte passes here, and references to the loop are slow: it is weakly
/// referenced from other threads.
@safe
final class TurnState {
  let chunks = ChunkPool()
  let readBuffer = UnsafeMutableRawPointer.allocate(byteCount: 128 << 10, alignment: 64)
  let sendGroup: SendGroup
  let platform: any Platform

  var bytesRead = 0
  var bytesWritten = 0
  var isUnderWay = false

  /// Each list has a second one, which collects entries while the first is iterated.
  ///
  /// The loop keeps a connection until the end of the turn in which it was finished (memory 4).
  private struct Lists {
    var runnable = TurnList<Connection>()
    var resumed = TurnList<Connection>()
    var touched = TurnList<Connection>()
    var settled = TurnList<Connection>()
  }

  @safe @exclusivity(unchecked) private var lists = Lists()  // memory 6

  init(_ platform: any Platform) {
    self.platform = platform
    sendGroup = SendGroup(platform)
  }

  deinit {
    unsafe readBuffer.deallocate()
  }

  /// Whether to request a turn: the first connection with work was added outside of one.
  var wantsTurn: Bool { !isUnderWay && lists.runnable.count + lists.touched.count == 1 }

  var hasRunnable: Bool { !lists.runnable.isEmpty }

  /// Whether no connection is left to settle.
  var isSettled: Bool { lists.runnable.isEmpty && lists.touched.isEmpty }

  /// Settles the connection at the end of the turn.
  func touch(_ connection: Connection) { lists.touched.append(connection) }

  /// Gives the connection its kept input within the turn.
  func makeRunnable(_ connection: Connection) { lists.runnable.append(connection) }

  func resume() {
    while !lists.runnable.isEmpty {
      swap(&lists.runnable, &lists.resumed)
      lists.resumed.forEach { $0.resume() }
      lists.resumed.removeAll()
    }
  }

  /// Sends output, updates interests and ends connections, until handlers add no more.
  func settle() {
    swap(&lists.touched, &lists.settled)
    lists.settled.forEach { $0.settle() }
    lists.settled.removeAll()
  }
}
