import FlowCore
import FlowTestSupport
import Testing

@Suite("descriptions of subscriptions")
struct DescriptionTests {
  private let subject = PassthroughSubject<Int, Oops>()

  private func subscription<P: Publisher>(_ publisher: P) -> (any Subscription)? {
    var subscription: (any Subscription)?
    publisher.subscribe(
      AnySubscriber<P.Output, P.Failure>(receiveSubscription: { subscription = $0 })
    )
    return subscription
  }

  private func children(_ subscription: (any Subscription)?) -> [String] {
    // An optional has a mirror of its own, so this unwraps it.
    let mirror = subscription.flatMap { $0 as? any CustomReflectable }?.customMirror
    return mirror?.children.map { $0.label ?? "-" } ?? ["none shown"]
  }

  @Test("are the operator's name, in playgrounds, too")
  func names() {
    for (subscription, name) in [
      (subscription(subject), "PassthroughSubject"),
      (subscription([1, 2].publisher), "[1, 2]"),
      (subscription(Just(1)), "Just"),
      (subscription(Result<Int, Oops>.Publisher(1)), "Once"),
      (subscription(subject.map { $0 }), "PassthroughSubject"),
      (subscription(subject.tryMap { $0 }), "TryMap"),
      (subscription(subject.flatMap { Just($0).setFailureType(to: Oops.self) }), "FlatMap"),
      (subscription(subject.share()), "Multicast"),
      (subscription(subject.first()), "First"),
      (subscription(subject.retry(1)), "Retry"),
      (subscription(subject.replaceError(with: 1)), "ReplaceError"),
      (subscription(Empty<Int, Oops>()), "Empty"),
    ] {
      #expect(subscription.map { String(describing: $0) } == name)
      let shown = subscription.flatMap { $0 as? any CustomPlaygroundDisplayConvertible }?
        .playgroundDescription
      #expect(shown as? String == name)
    }
  }

  @Test("mirrors have the same children as Combine's")
  func mirrors() {
    let conduit = ["parent", "downstream", "demand", "subject"]
    #expect(children(subscription(subject)) == conduit)
    #expect(children(subscription([1].publisher)) == ["sequence"])
    #expect(children(subscription(subject.tryMap { $0 })) == [])
    #expect(children(subscription(subject.tryFilter { _ in true })) == ["downstream"])
    let reducing = ["downstream", "result", "initial", "status"]
    #expect(children(subscription(subject.reduce(0, +))) == reducing)
    #expect(children(subscription(subject.collect())) == ["count"])
    #expect(children(subscription(subject.catch { _ in Just(0) })) == ["downstream", "demand"])
    let buffer = subject.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest)
    #expect(
      children(subscription(buffer)) == ["values", "state", "downstreamDemand", "terminal"]
    )
  }

  @Test("an erased subscriber has the description of its base")
  func erasedSubscriber() {
    #expect(AnySubscriber<Int, Oops>().description == "Anonymous AnySubscriber")
    #expect(AnySubscriber(subject).description == "Subject")
    let sink = Subscribers.Sink<Int, Oops>(receiveCompletion: { _ in }, receiveValue: { _ in })
    let erased = AnySubscriber(sink)
    #expect(erased.description == "Sink")
    #expect(erased.combineIdentifier == sink.combineIdentifier)
  }
}
