internal import FlowCore
internal import FlowTransport

/// Clients that there was no time to send to, in order of arrival.
///
/// It retains them, and also what was released while they wait, because clients refer to streams
/// without retaining them (memory 4).
struct LateClients {
  private var waiting = Fifo<Client>()
  /// How many have been taken out so far.
  private var ended = 0
  /// Objects to release, each with the value of `ended` at which it may go.
  private var releases = Fifo<(after: Int, objects: [AnyObject])>()

  var isEmpty: Bool { waiting.isEmpty }

  var count: Int { waiting.count }

  /// Adds `client`, which still has unsent output.
  mutating func append(_ client: Client) {
    client.connection.holdBack()
    waiting.append(client)
  }

  /// Takes out the client that has waited longest.
  mutating func popFirst() -> Client? {
    guard let client = waiting.popFirst() else { return nil }
    ended += 1
    return client
  }

  /// Retains `objects` as long as a client waits that waits now.
  mutating func keep(_ objects: [AnyObject]) {
    releases.append((ended + waiting.count, objects))
  }

  /// Releases objects that no waiting client needs.
  mutating func release() {
    while let first = releases.first, first.after <= ended { _ = releases.popFirst() }
  }
}
