import FlowRemote
import Synchronization

/// What became of the values of a `send`.
final class SendTally: Sendable {
  struct Counts {
    var sent: UInt64 = 0
    /// How many of those, at most, a lost connection has cost.
    var unconfirmed: UInt64 = 0
    /// How many subscribers got values, and how many did not, where the server tells.
    var to: UInt64?
    var missed: UInt64?
  }

  private let state = Mutex(Counts())

  var counts: Counts { state.withLock { $0 } }

  func add(_ sent: UInt64, unconfirmed: UInt64 = 0) {
    state.withLock { counts in
      counts.sent += sent
      counts.unconfirmed += unconfirmed
    }
  }

  /// Adds what the answer to a `SEND` says.
  func add(_ answer: RemoteAnswer) {
    state.withLock { counts in
      if let to = answer.field("to").flatMap({ UInt64($0) }) { counts.to = (counts.to ?? 0) + to }
      if let missed = answer.field("missed").flatMap({ UInt64($0) }) {
        counts.missed = (counts.missed ?? 0) + missed
      }
    }
  }
}
