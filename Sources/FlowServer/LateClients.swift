internal import FlowCore
internal import FlowTransport

/// Clients whose turn ends in a later one, since there are too many to send to: first come, first served.
///
/// It keeps them, and what was let go of while they waited: a client refers to streams without
/// keeping them (memory 4).
struct LateClients {
  private var waiting = Fifo<Client>()
  /// How many no longer wait.
  private var ended = 0
  /// Each with how many are to have ended before it may go.
  private var releases = Fifo<(after: Int, objects: [AnyObject])>()

  var isEmpty: Bool { waiting.isEmpty }

  var count: Int { waiting.count }

  /// Has `client` wait, and with it what is unsent.
  mutating func append(_ client: Client) {
    client.connection.holdBack()
    waiting.append(client)
  }

  /// Takes out the one that has waited longest.
  mutating func popFirst() -> Client? {
    guard let client = waiting.popFirst() else { return nil }
    ended += 1
    return client
  }

  /// Keeps `objects` as long as anybody waits who does so now.
  mutating func keep(_ objects: [AnyObject]) {
    releases.append((ended + waiting.count, objects))
  }

  /// Lets go of what nobody needs any more.
  mutating func release() {
    while let first = releases.first, first.after <= ended { _ = releases.popFirst() }
  }
}
