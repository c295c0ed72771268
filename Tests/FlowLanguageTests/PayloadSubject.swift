import FlowCore

@testable import FlowLanguage

/// A subject that hands payloads to those who take them, as a server's does.
final class PayloadSubject: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  private let work: Work
  private var outlets: [Outlet] = []
  /// What has been asked for; `Int.max` is no limit.
  private(set) var asked = 0
  /// How many values somebody had no demand for.
  private(set) var missed = 0
  private var searches = 0

  init(_ work: Work) { self.work = work }

  /// Whether each who has subscribed takes payloads.
  var takers: [Bool] { outlets.map { $0.receiver != nil } }

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let outlet = Outlet(self, AnySubscriber(subscriber))
    outlets.append(outlet)
    subscriber.receive(subscription: outlet)
  }

  func finish() {
    let old = outlets
    outlets = []
    for outlet in old { outlet.finish() }
  }

  /// Sends what comes in one turn, from a buffer that has something else afterwards.
  func send(_ payloads: [[UInt8]], _ way: PayloadTests.Way) {
    guard way == .together else {
      for payload in payloads { for outlet in outlets { send(payload, to: outlet, way) } }
      return
    }
    searches += 1
    let present = outlets
    let meets = present.contains { $0.reach == .shared && !$0.isOnlyWay(searches) }
    let together = present.filter { $0.reach == .alone || ($0.reach == .shared && !meets) }
    for payload in payloads {
      for outlet in outlets where !together.contains(where: { $0 === outlet }) {
        send(payload, to: outlet, .payloads)
      }
    }
    for outlet in together { send(payloads, to: outlet) }
  }

  private func send(_ payload: [UInt8], to outlet: Outlet, _ way: PayloadTests.Way) {
    guard let subscriber = outlet.subscriber else { return }
    guard outlet.take(1) == 1 else { return missed += 1 }
    Self.lend([payload]) { lent in
      if way == .payloads, let receiver = outlet.receiver {
        work.payloadComes()
        outlet.add(receiver.receive(lent[0]))
      } else {
        outlet.add(subscriber.receive(Value(bytes: lent[0])))
      }
    }
  }

  private func send(_ payloads: [[UInt8]], to outlet: Outlet) {
    guard let receiver = outlet.receiver else { return }
    let largest = payloads.map(\.count).max() ?? 0
    Self.lend(payloads) { lent in
      guard let start = lent.baseAddress else { return }
      work.payloadComes()
      var rest = lent.indices
      while outlet.subscriber != nil, !rest.isEmpty {
        let room = receiver.room(for: largest)
        guard room > 0, case let count = outlet.take(Swift.min(room, rest.count)), count > 0 else {
          break
        }
        let taken = rest.prefix(count)
        rest = taken.upperBound..<rest.upperBound
        outlet.add(receiver.receive(Payloads(taken, of: start, largest: largest)))
      }
      while outlet.subscriber != nil, let next = rest.popFirst() {
        guard outlet.take(1) == 1 else {
          missed += 1
          continue
        }
        outlet.add(receiver.receive(lent[next]))
      }
    }
  }

  /// Lends payloads that are not what they were when `body` returns.
  private static func lend(
    _ payloads: [[UInt8]],
    _ body: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Void
  ) {
    let all = UnsafeMutableRawBufferPointer.allocate(
      byteCount: payloads.reduce(1) { $0 + $1.count },
      alignment: 1
    )
    all.copyBytes(from: payloads.joined())
    var places: [UnsafeRawBufferPointer] = []
    var start = 0
    for payload in payloads {
      places.append(UnsafeRawBufferPointer(rebasing: all[start..<start + payload.count]))
      start += payload.count
    }
    places.withUnsafeMutableBufferPointer { body($0) }
    for index in all.indices { all[index] = UInt8(ascii: "#") }
    all.deallocate()
  }

  final class Outlet: PayloadSource {
    private let subject: PayloadSubject
    private(set) var subscriber: AnySubscriber<Value, PipelineFailure>?
    private(set) var receiver: (any PayloadReceiver)?
    private var demand = 0

    init(_ subject: PayloadSubject, _ subscriber: AnySubscriber<Value, PipelineFailure>) {
      self.subject = subject
      self.subscriber = subscriber
    }

    func handPayloads(to receiver: any PayloadReceiver) {
      guard self.receiver == nil, subscriber?.hides(receiver) == true else { return }
      self.receiver = receiver
    }

    var reach: PayloadReach { receiver?.reach ?? .anywhere }

    func isOnlyWay(_ search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }

    /// Lowers the demand by up to `count`; says by how many.
    func take(_ count: Int) -> Int {
      let taken = count < demand ? count : demand
      if demand != .max { demand -= taken }
      return taken
    }

    func add(_ more: Subscribers.Demand) {
      guard more > .none, subscriber != nil else { return }
      demand = addDemand(demand, more.max ?? .max)
      subject.asked = addDemand(subject.asked, more.max ?? .max)
    }

    func finish() {
      let old = subscriber
      subscriber = nil
      receiver = nil
      old?.receive(completion: .finished)
    }

    func request(_ demand: Subscribers.Demand) { add(demand) }

    func cancel() {
      subscriber = nil
      receiver = nil
      subject.outlets.removeAll { $0 === self }
    }
  }
}

/// Keeps what it is sent, as payloads or values.
final class PayloadRecorder: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private(set) var signals: [String] = []
  private(set) var subscription: (any Subscription)?
  private let demand: Subscribers.Demand

  init(_ demand: Subscribers.Demand) { self.demand = demand }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.mayHandPayloads(to: self)
    subscription.request(demand)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    signals.append(input.text)
    return .none
  }

  func room(for largest: Int) -> Int { .max }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    for place in payloads.places { _ = receive(payloads[place]) }
    return .none
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    receive(Value(bytes: payload))
  }

  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    signals.append("\(completion)")
    subscription = nil
  }
}
