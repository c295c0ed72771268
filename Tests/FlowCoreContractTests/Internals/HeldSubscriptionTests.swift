import FlowCore
import Testing

/// A subscription that ends its holder during a call, and records calls and its own release.
private final class Ending: Subscription {
  private let journal: Journal
  var end: () -> Void = {}
  private var calls = 0

  init(_ journal: Journal) { self.journal = journal }

  func request(_ demand: Subscribers.Demand) { act() }

  func cancel() { act() }

  private func act() {
    end()
    calls += 1  // this object must still exist
    journal.entries.append("called \(calls)")
  }

  deinit { journal.entries.append("freed") }
}

private final class Journal {
  var entries: [String] = []
}

/// Holds a subscription as an operator holds its upstream.
private final class Holder {
  private var upstream: _HeldSubscription?

  func hold(_ subscription: any Subscription) { upstream = subscription._held }

  func request() { upstream?.request(.max(1)) }

  func requestGuarded() {
    guard let upstream else { return }
    upstream.request(.max(1))
  }

  func cancel() { upstream?.cancel() }

  func end() { upstream = nil }
}

@Suite("A held subscription")
struct HeldSubscriptionTests {
  @Test(
    "lives until the call that ends its holder returns (memory 2)",
    arguments: [Holder.request, Holder.requestGuarded, Holder.cancel]
  )
  fileprivate func livesUntilTheCallReturns(_ call: @Sendable (Holder) -> () -> Void) {
    let journal = Journal()
    let holder = Holder()
    do {
      let subscription = Ending(journal)
      subscription.end = { [weak holder] in holder?.end() }
      holder.hold(subscription)
    }
    call(holder)()
    #expect(journal.entries == ["called 1", "freed"])
  }
}
