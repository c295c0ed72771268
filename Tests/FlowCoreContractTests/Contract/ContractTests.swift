import FlowCore
import FlowTestSupport
import Testing

/// Tests the rules of `docs/contract.md` with every operator.
@Suite("Contract")
struct ContractTests {
  typealias Probe = ProbePublisher<Int, TestError>
  typealias Recording = RecordingSubscriber<Int, TestError>

  let clock = VirtualTimeScheduler()
  let probe = Probe()

  /// Subscribes to the operator on `probe`.
  private func subscribe(_ candidate: Candidate, _ subscriber: Recording) {
    candidate.apply(probe.eraseToAnyPublisher(), clock).subscribe(subscriber)
    clock.run()
  }

  private func send(_ values: some Sequence<Int>) {
    for value in values { probe.send(value) }
    clock.run()
  }

  private func finish(_ completion: Subscribers.Completion<TestError> = .finished) {
    probe.send(completion: completion)
    clock.run()
  }

  @Test("1.1: never more values than demanded", arguments: contractTable)
  func demand(_ candidate: Candidate) {
    let subscriber = Recording(.none)
    subscribe(candidate, subscriber)
    send(1...4)
    #expect(subscriber.values == [])
    var asked = 0
    for step in [1, 2, 1, 5] {
      subscriber.request(.max(step))
      asked += step
      clock.run()
      send(5...9)
      #expect(subscriber.values.count <= asked)
    }
    finish()
    subscriber.request(.unlimited)
    clock.run()
    #expect(subscriber.violations == [])
    #expect(subscriber.isFinished)
  }

  @Test("1.1: demand that `receive` returns counts like a request", arguments: contractTable)
  func returnedDemand(_ candidate: Candidate) {
    let returning = Recording(.max(1)) { _, _ in .max(1) }
    subscribe(candidate, returning)
    send(1...20)
    finish()
    #expect(returning.violations == [])
    #expect(returning.isFinished)

    let asking = Recording(.max(1)) { subscriber, _ in
      subscriber.request(.max(1))
      return .none
    }
    subscribe(candidate, asking)
    send(1...20)
    finish()
    #expect(asking.violations == [])
    #expect(asking.values == returning.values)
    #expect(asking.isFinished)
  }

  @Test("1.2: values keep their order", arguments: contractTable(without: .reduces))
  func order(_ candidate: Candidate) {
    let subscriber = Recording()
    subscribe(candidate, subscriber)
    send(1...9)
    #expect(!subscriber.values.isEmpty)
    #expect(subscriber.values == subscriber.values.sorted())
    #expect(Set(subscriber.values).isSubset(of: 1...9))
  }

  @Test("1.4, 1.7: a failure comes once, and nothing after it", arguments: contractTable)
  func failure(_ candidate: Candidate) {
    let subscriber = Recording()
    subscribe(candidate, subscriber)
    probe.send(1)
    finish(.failure(TestError("source")))
    if candidate.name == "retry" { finish(.failure(TestError("source"))) }
    send([2])
    finish()
    #expect(subscriber.completions.count == 1)
    #expect(subscriber.violations == [])
    if candidate.name == "replaceError" || candidate.name == "first" {
      #expect(subscriber.isFinished)
    } else {
      #expect(subscriber.failure == TestError("source"))
    }
  }

  @Test(
    "2.4: signals after the end are ignored, even while an output waits for demand",
    arguments: contractTable.filter { !$0.has(.resubscribes) && !$0.has(.isTransparent) },
    [[Subscribers.Completion<TestError>.finished], [.failure(TestError("source"))]]
  )
  func late(_ candidate: Candidate, _ ends: [Subscribers.Completion<TestError>]) {
    let (prompt, late) = (Recording(.none), Recording(.none))
    for subscriber in [prompt, late] {
      subscribe(candidate, subscriber)
      finish(ends[0])
      if subscriber === late {
        probe.sendLate(7)
        probe.sendLate(completion: .finished)
        probe.sendLate(completion: .failure(TestError("late")))
        clock.run()
      }
      subscriber.request(.unlimited)
      clock.run()
    }
    #expect(late.values == prompt.values)
    #expect(late.completions.count == prompt.completions.count)
    #expect(late.failure == prompt.failure)
    #expect(late.violations == [])
  }

  @Test("2.14: an unrequested value is treated like any other", arguments: contractTable)
  func unasked(_ candidate: Candidate) {
    let subscriber = Recording(.none)
    subscribe(candidate, subscriber)
    probe.sendLate(1)
    probe.sendLate(2)
    clock.run()
    subscriber.request(.unlimited)
    clock.run()
    send(3...5)
    finish()
    clock.run()
    #expect(subscriber.isFinished)
  }

  @Test(
    "1.5: an empty upstream finishes without demand",
    arguments: contractTable(without: .endsWithAll)
  )
  func empty(_ candidate: Candidate) {
    let needsDemand = [
      "reduce", "tryReduce", "count", "collect", "replaceEmpty",
      "allSatisfy", "tryAllSatisfy", "contains", "contains(where:)", "tryContains",
    ]
    let subscriber = Recording(.none)
    subscribe(candidate, subscriber)
    finish()
    #expect(subscriber.isFinished == !needsDemand.contains(candidate.name))
    if !subscriber.isFinished {
      subscriber.request(.max(1))
      #expect(subscriber.values.count == 1)
      #expect(subscriber.isFinished)
    }
    #expect(subscriber.violations == [])
  }

  @Test("1.9: one subscription, before any other signal", arguments: contractTable)
  func subscription(_ candidate: Candidate) {
    let subscriber = Recording()
    subscribe(candidate, subscriber)
    #expect(subscriber.descriptions.count == 1)
    #expect(probe.subscriptions == 1)
    finish()
    #expect(subscriber.descriptions.count == 1)
    #expect(subscriber.violations == [])
  }

  @Test("2.5: a second subscription is cancelled", arguments: contractTable(without: .isShared))
  func secondSubscription(_ candidate: Candidate) {
    // `share` is left out: its subject accepts any number of upstreams.
    let subscriber = Recording()
    subscribe(candidate, subscriber)
    #expect(probe.isSecondSubscriptionRefused())
    send([1, 3])
    finish()
    #expect(subscriber.completions.count == 1)
  }

  @Test("3.5, 3.7: a second cancellation has no effect", arguments: contractTable)
  func cancelTwice(_ candidate: Candidate) {
    let subscriber = Recording()
    subscribe(candidate, subscriber)
    probe.send(1)
    guard subscriber.completions.isEmpty else { return #expect(probe.cancels == 1) }
    subscriber.cancel()
    subscriber.cancel()
    #expect(probe.cancels == 1 || candidate.has(.isTransparent))
    #expect(probe.cancels > 0)
    clock.run()
    probe.sendLate(2)
    clock.run()
    #expect(subscriber.completions.isEmpty)
  }

  @Test("1.8: held values do not come after the cancellation", arguments: contractTable)
  func cancelWhileHolding(_ candidate: Candidate) {
    let subscriber = Recording(.max(1))
    subscribe(candidate, subscriber)
    for value in 1...6 { probe.send(value) }
    subscriber.cancel()
    subscriber.subscription?.request(.max(5))
    clock.run()
    probe.send(completion: .finished)
    clock.run()
    #expect(subscriber.violations == [])
  }

  @Test("3.6: requests after the cancellation are ignored", arguments: contractTable)
  func requestAfterCancel(_ candidate: Candidate) {
    let subscriber = Recording(.none)
    subscribe(candidate, subscriber)
    subscriber.cancel()
    let requests = probe.requests.count
    subscriber.subscription?.request(.max(3))
    subscriber.subscription?.request(.unlimited)
    #expect(probe.requests.count == requests || candidate.has(.isTransparent))
    #expect(probe.demand == .none)
    #expect(subscriber.violations == [])
  }

  @Test(
    "3.5: cancelling in receive(_:) stops at once",
    arguments: contractTable(without: .reduces)
  )
  func cancelFromInside(_ candidate: Candidate) {
    let subscriber = Recording { subscriber, _ in
      subscriber.cancel()
      return .max(1)
    }
    subscribe(candidate, subscriber)
    send(1...9)
    finish()
    #expect(subscriber.values.count == 1)
    #expect(subscriber.violations == [])
    #expect(probe.cancels == 1 || candidate.has(.isTransparent))
    #expect(probe.cancels > 0)
  }

  @Test("3.5: cancelling in receive(subscription:) works", arguments: contractTable)
  func cancelAtOnce(_ candidate: Candidate) {
    final class Refuser: Subscriber {
      typealias Input = Int
      typealias Failure = TestError
      var signals = 0
      func receive(subscription: any Subscription) { subscription.cancel() }
      func receive(_ input: Int) -> Subscribers.Demand {
        signals += 1
        return .none
      }
      func receive(completion: Subscribers.Completion<TestError>) { signals += 1 }
    }
    let refuser = Refuser()
    candidate.apply(probe.eraseToAnyPublisher(), clock).subscribe(refuser)
    clock.run()
    send(1...3)
    finish()
    #expect(refuser.signals == 0)
    #expect(probe.cancels == probe.subscriptions)
  }

  @Test("3.13: everything is released", arguments: contractTable, [true, false])
  func release(_ candidate: Candidate, _ cancels: Bool) {
    weak let witness: Recording? = {
      let subscriber = Recording(.max(2))
      subscribe(candidate, subscriber)
      send(1...6)
      if cancels { subscriber.cancel() } else { finish(.failure(TestError())) }
      if candidate.name == "retry", !cancels { finish(.failure(TestError())) }
      if !subscriber.completions.isEmpty || cancels { return subscriber }
      subscriber.request(.unlimited)
      clock.run()
      return subscriber
    }()
    // The recorder holds its subscription, and the probe its subscriber.
    if let subscriber = witness { subscriber.release() }
    probe.release()
    clock.run()
    #expect(witness == nil)
  }
}
