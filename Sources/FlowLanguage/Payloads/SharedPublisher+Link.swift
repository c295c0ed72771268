import FlowCore

extension SharedPublisher {
  /// One who subscribes.
  final class Link: Subscription, PayloadSource {
    private let sharing: SharedPublisher
    private var subscriber: AnySubscriber<Value, PipelineFailure>?
    /// The subscriber, if it takes payloads.
    private(set) var receiver: (any PayloadReceiver)?
    private let dropped: (Int, DropReason) -> Void
    private let leave: (LeftOut) -> Void
    /// Values that it may be sent; `Int.max` is no limit.
    private(set) var demand = 0
    /// The number of the value that it was sent last, or could have been.
    var last = 0
    /// Whether it is being sent what there is.
    var isServed = false

    init(
      _ sharing: SharedPublisher,
      _ subscriber: AnySubscriber<Value, PipelineFailure>,
      _ dropped: @escaping (Int, DropReason) -> Void,
      _ leave: @escaping (LeftOut) -> Void
    ) {
      self.sharing = sharing
      self.subscriber = subscriber
      self.dropped = dropped
      self.leave = leave
    }

    var isOver: Bool { subscriber == nil }

    func begin() { subscriber?.receive(subscription: self) }

    func handPayloads(to receiver: any PayloadReceiver) {
      guard let subscriber, subscriber.hides(receiver) else { return }
      self.receiver = receiver
    }

    func isOnlyWay(in search: Int) -> Bool {
      switch receiver?.reach ?? .anywhere {
      case .alone: true
      case .shared: receiver?.isOnlyWay(in: search) ?? false
      case .anywhere: false
      }
    }

    /// How many payloads may come before it leaves, at the least; `nil` if it takes none.
    func room(for largest: Int) -> Int? {
      demand > 0 ? receiver?.room(for: largest) : receiver.map { _ in .max }
    }

    /// Begins to send it something; false if that is being done, or it is over.
    func takeTurn() -> Bool {
      guard !isOver, !isServed else { return false }
      isServed = true
      return true
    }

    // MARK: What it is sent

    /// Sends a value if there is demand.
    func send(_ value: Value, _ number: Int) {
      guard let subscriber, demand > 0 else { return miss(1) }
      take(1)
      goOn(to: number - 1)
      last = number
      add(subscriber.receive(value))
    }

    /// Sends a payload if there is demand.
    func send(_ payload: UnsafeRawBufferPointer, _ number: Int) {
      guard let receiver, demand > 0 else { return miss(1) }
      take(1)
      goOn(to: number - 1)
      last = number
      add(unsafe receiver.receive(payload))
    }

    /// Sends payloads as far as there is demand, of which the first comes after so many values.
    func send(_ payloads: Payloads, after before: Int) {
      guard let receiver, demand > 0, takeTurn() else { return miss(payloads.places.count) }
      var rest = payloads.places
      var number = before
      while demand > 0, !rest.isEmpty {
        let taken = rest.prefix(receiver.room(for: payloads.largest))
        guard !taken.isEmpty else { break }
        rest = taken.upperBound..<rest.upperBound
        // A receiver that requests more while it takes may have room for more than the demand.
        take(taken.count)
        goOn(to: number)
        number += taken.count
        last = number
        add(receiver.receive(payloads.at(taken)))
      }
      while demand > 0, let next = rest.popFirst() {
        number += 1
        unsafe send(payloads[next], number)
      }
      isServed = false
      miss(rest.count)
    }

    /// Tells of a value that was left out before it came to the share.
    func leaveOut(_ leftOut: LeftOut) { if !isOver { leave(leftOut) } }

    /// Tells at once what has come without demand, if it is not kept for it.
    func miss(_ count: Int) {
      if count > 0, !isOver, sharing.most == 0 { dropped(count, .noDemand) }
    }

    /// Goes on to behind the value with this number, if what is sent is kept; tells what it has missed.
    func goOn(to number: Int) {
      guard !isOver, sharing.most > 0, number > last else { return }
      let missed = number - last
      last = number
      dropped(missed, .bufferOldest)
    }

    private func take(_ count: Int) { if demand != .max { demand -= count } }

    private func add(_ more: Subscribers.Demand) {
      if more > .none, !isOver { demand = addDemand(demand, more.max ?? .max) }
    }

    func finish(_ completion: Subscribers.Completion<PipelineFailure>, _ count: Int) {
      guard let subscriber else { return }
      goOn(to: count)
      close()
      subscriber.receive(completion: completion)
    }

    // MARK: What it wants

    func request(_ demand: Subscribers.Demand) {
      guard !isOver, demand > .none else { return }
      add(demand)
      sharing.serve(self)
    }

    func cancel() {
      guard !isOver else { return }
      goOn(to: sharing.count - sharing.most)
      close()
      sharing.left()
    }

    private func close() {
      subscriber = nil
      receiver = nil
      demand = 0
      sharing.hasLeavers = true
    }
  }
}
