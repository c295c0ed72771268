/// The state that the connections of a loop share within a turn: memory, and the connections to
/// settle.
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

  /// Whether a turn has to be asked for: the first of those with something to do is not within one.
  var wantsTurn: Bool { !isUnderWay && lists.runnable.count + lists.touched.count == 1 }

  var hasRunnable: Bool { !lists.runnable.isEmpty }

  /// Whether no connection has anything to settle any more.
  var isSettled: Bool { lists.runnable.isEmpty && lists.touched.isEmpty }

  /// The connection has something to settle at the end of the turn.
  func touch(_ connection: Connection) { lists.touched.append(connection) }

  /// The connection is to be given its kept input within the turn.
  func makeRunnable(_ connection: Connection) { lists.runnable.append(connection) }

  /// Gives connections their kept input.
  func resume() {
    while !lists.runnable.isEmpty {
      swap(&lists.runnable, &lists.resumed)
      lists.resumed.forEach { $0.resume() }
      lists.resumed.removeAll()
    }
  }

  /// Sends output, sets interest, ends what is to end; what handlers do then is another round.
  func settle() {
    swap(&lists.touched, &lists.settled)
    lists.settled.forEach { $0.settle() }
    lists.settled.removeAll()
  }
}
