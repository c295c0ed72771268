internal import FlowCore
internal import FlowLanguage

/// A subject of a scene: it does with demand what one of a server does.
final class MarbleSubject {
  typealias Completion = Subscribers.Completion<PipelineFailure>

  private enum Signal {
    case value(Value)
    case end(Completion)
  }

  private let isLossless: Bool
  /// `nil`: it keeps nothing.
  private var kept: [Value]?
  private let limit: Int
  /// The number of the first value that is kept.
  private var start = 0
  private var outlets: [MarbleOutlet] = []
  /// What waits for room.
  private var waiting: [Signal] = []
  private var isPassing = false
  private var completion: Completion?
  /// Called when there may be room for more.
  var hasRoom: [() -> Void] = []

  init(_ subject: MarbleScene.Subject) {
    isLossless = subject.isLossless
    switch subject.keeping {
    case .nothing: (kept, limit) = (nil, 0)
    case .current(let bytes):
      (kept, limit) = unsafe ([bytes.withUnsafeBytes { unsafe Value(bytes: $0) }], 1)
    case .last(let count): (kept, limit) = ([], count)
    }
  }

  /// How many values it can pass on at once; `nil` is no limit.
  var room: Int? {
    guard isLossless else { return nil }
    guard completion == nil, let least = outlets.map(\.demand).min() else { return 0 }
    return max(0, (least.max ?? .max) - waiting.count)
  }

  func send(_ value: Value) { take(.value(value)) }

  func finish(_ completion: Completion) { take(.end(completion)) }

  func publisher(in context: any PipelineContext) -> AnyPublisher<Value, PipelineFailure> {
    MarbleSubjectPublisher(subject: self, context: context).eraseToAnyPublisher()
  }

  // MARK: Values

  private func take(_ signal: Signal) {
    guard completion == nil else { return }
    waiting.append(signal)
    passOn()
  }

  private func passOn() {
    guard !isPassing else { return }
    isPassing = true
    defer { isPassing = false }
    while completion == nil, let signal = waiting.first {
      switch signal {
      case .value(let value):
        if isLossless, outlets.isEmpty || outlets.contains(where: { $0.demand == .none }) { return }
        waiting.removeFirst()
        publish(value)
      case .end(let completion):
        waiting.removeFirst()
        end(completion)
      }
    }
  }

  private func publish(_ value: Value) {
    guard var values = kept else {
      for outlet in outlets { outlet.offer(value) }
      return
    }
    values.append(value)
    if values.count > limit {
      values.removeFirst()
      start += 1
    }
    kept = values
    for outlet in outlets { read(outlet) }
  }

  private func end(_ completion: Completion) {
    self.completion = completion
    for outlet in outlets {
      read(outlet)
      if outlet.cursor >= start + (kept?.count ?? 0) { outlet.finish(completion) }
    }
  }

  /// Gives what the outlet has not read yet of what is kept, as far as it has asked.
  private func read(_ outlet: MarbleOutlet) {
    guard kept != nil else { return }
    while outlet.isOpen, outlet.demand > .none, let values = kept,
      outlet.cursor < start + values.count
    {
      outlet.skip(to: start)
      let value = values[outlet.cursor - start]
      outlet.cursor += 1
      outlet.offer(value)
    }
    if let completion, outlet.isOpen, outlet.cursor >= start + (kept?.count ?? 0) {
      outlet.finish(completion)
    }
  }

  // MARK: Subscriptions

  fileprivate func add(_ outlet: MarbleOutlet) {
    outlet.cursor = start
    outlets.append(outlet)
    outlet.begin()
    if let completion, kept?.isEmpty ?? true { outlet.finish(completion) }
  }

  fileprivate func remove(_ outlet: MarbleOutlet) {
    outlets.removeAll { $0 === outlet }
    demandChanged()
  }

  fileprivate func demandGrew(_ outlet: MarbleOutlet) {
    read(outlet)
    demandChanged()
  }

  private func demandChanged() {
    passOn()
    for tell in hasRoom { tell() }
  }
}

private struct MarbleSubjectPublisher: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let subject: MarbleSubject
  let context: any PipelineContext

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    subject.add(MarbleOutlet(AnySubscriber(subscriber), subject, context))
  }
}

/// One subscription at a subject of a scene.
private final class MarbleOutlet: Subscription {
  var cursor = 0
  private(set) var demand = Subscribers.Demand.none
  private var subscriber: AnySubscriber<Value, PipelineFailure>?
  private let subject: MarbleSubject
  private let context: any PipelineContext

  init(
    _ subscriber: AnySubscriber<Value, PipelineFailure>,
    _ subject: MarbleSubject,
    _ context: any PipelineContext
  ) {
    self.subscriber = subscriber
    self.subject = subject
    self.context = context
  }

  var isOpen: Bool { subscriber != nil }

  func begin() { subscriber?.receive(subscription: self) }

  func offer(_ value: Value) {
    guard let subscriber else { return }
    guard demand > .none else { return context.dropped(1, .noDemand) }
    demand -= 1
    let more = subscriber.receive(value)
    if more > .none { request(more) }
  }

  func skip(to start: Int) {
    guard cursor < start else { return }
    context.dropped(start - cursor, .replaced)
    cursor = start
  }

  func finish(_ completion: MarbleSubject.Completion) {
    let subscriber = subscriber
    self.subscriber = nil
    subject.remove(self)
    subscriber?.receive(completion: completion)
  }

  func request(_ demand: Subscribers.Demand) {
    guard isOpen else { return }
    self.demand += demand
    subject.demandGrew(self)
  }

  func cancel() {
    guard isOpen else { return }
    subscriber = nil
    subject.remove(self)
  }
}
