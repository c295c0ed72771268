import FlowCore

/// Publishes the elements of a sequence within the time slice of the loop, each when asked for.
///
/// As `Publishers.Sequence`, but a turn that has lasted long enough is left and gone on with later.
struct PacedSequence<Elements: Sequence>: Publisher where Elements.Element == Value {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let elements: Elements
  let timeSlice: TimeSlice

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    var iterator = elements.makeIterator()
    guard let first = iterator.next() else {
      return Empty().receive(subscriber: subscriber)
    }
    subscriber.receive(subscription: Inner(subscriber, first, iterator, timeSlice))
  }

  private final class Inner<Downstream: Subscriber>: Subscription, CustomStringConvertible
  where Downstream.Input == Value, Downstream.Failure == PipelineFailure {
    private var downstream: Downstream?
    /// The element to send next: with the last one sent, the end is known and sent too.
    private var next: Value?
    private var iterator: Elements.Iterator
    private let timeSlice: TimeSlice
    private var demand = Subscribers.Demand.none
    private var isSending = false
    private var isWaiting = false

    init(
      _ downstream: Downstream,
      _ first: Value,
      _ others: Elements.Iterator,
      _ timeSlice: TimeSlice
    ) {
      self.downstream = downstream
      next = first
      iterator = others
      self.timeSlice = timeSlice
    }

    var description: String { "Sequence" }

    func request(_ demand: Subscribers.Demand) {
      self.demand += demand
      send()
    }

    func cancel() { downstream = nil }

    private func send() {
      guard !isSending, !isWaiting else { return }
      isSending = true
      defer { isSending = false }
      while demand > .none, let downstream, let element = next {
        guard timeSlice.step() else { return wait() }
        next = iterator.next()
        demand -= 1
        demand += downstream.receive(element)
        guard next == nil, self.downstream != nil else { continue }
        self.downstream = nil
        downstream.receive(completion: .finished)
      }
    }

    private func wait() {
      isWaiting = true
      timeSlice.wait {
        self.isWaiting = false
        self.send()
      }
    }
  }
}
