import FlowCore
@testable import FlowLanguage
import FlowTestSupport

/// A host with named subjects, named pipelines and a clock that stands still until moved.
final class TestHost: PipelineContext {
  let clock = VirtualTimeScheduler()
  var innerPublisherLimit = 10_000
  let memoryBudget: MemoryBudget
  /// Each look at the time takes a nanosecond; a turn may last for 10, some hundred steps.
  private(set) lazy var timeSlice = TimeSlice(
    limit: 10,
    spent: { [unowned self] in look() },
    calendar: { [clock] in clock.now.nanoseconds }
  ) { [unowned self] in isTurnDue = true }
  private(set) lazy var work = Work(timeSlice)
  private(set) var isTurnDue = false
  private var looks: UInt64 = 0
  var subjects: [String: PassthroughSubject<Value, PipelineFailure>] = [:]
  var pipelines: [String: Pipeline] = [:]
  /// What answers the calls of each service; a service without an entry never answers.
  var services: [String: (Value) -> AnyPublisher<Value, PipelineFailure>] = [:]
  /// The arguments of all calls, in order, as `service argument`.
  private(set) var calls: [String] = []
  private let setReaders = SubjectSetReaders()
  var drops: [DropReason: Int] = [:]
  /// The values that were left out since a closure has no answer for them.
  private(set) var omissions: [LeftOut] = []
  var lines: [String] = []
  /// The subjects that runs send to, by the names of the runs.
  var runs: [String: String] = [:]
  /// What was asked of the subjects.
  var demands: [String] = []
  /// What counts the stages of the next pipeline that is run.
  var counters: StageCounters?
  /// The subject called `probe`, which notes what is asked of it.
  let probe = ProbePublisher<Value, PipelineFailure>()
  /// The subject called `s`, if there is one, which hands payloads to who takes them.
  var payloads: PayloadSubject?

  init(subjects names: String..., memoryBudget: MemoryBudget = MemoryBudget()) {
    self.memoryBudget = memoryBudget
    for name in names { subjects[name] = PassthroughSubject() }
  }

  func subject(_ name: String, counters: StageCounters?) -> AnyPublisher<Value, PipelineFailure> {
    let subject = subject(name)
    return counters.map { Counted(upstream: subject, counter: $0[0]).eraseToAnyPublisher() }
      ?? subject
  }

  private func subject(_ name: String) -> AnyPublisher<Value, PipelineFailure> {
    if name == "probe" { return probe.eraseToAnyPublisher() }
    if name == "s", let payloads { return payloads.eraseToAnyPublisher() }
    guard let subject = subjects[name] else { return Empty().eraseToAnyPublisher() }
    return subject.handleEvents(receiveRequest: { self.demands.append("\(name) \($0)") })
      .eraseToAnyPublisher()
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    if !new { for name in subjects.keys.sorted() where set.contains(name) { join(name) } }
    return setReaders.add(set, join)
  }

  /// Makes one more subject.
  func make(_ name: String) {
    subjects[name] = PassthroughSubject()
    setReaders.isMade(name)
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    Deferred { () -> AnyPublisher<Value, PipelineFailure> in
      self.calls.append("\(name) \(argument.text)")
      return self.services[name]?(argument)
        ?? Empty(completeImmediately: false).eraseToAnyPublisher()
    }.eraseToAnyPublisher()
  }

  private func look() -> UInt64 {
    looks += 1
    return looks
  }

  /// Runs the turn that has been asked for.
  func turn() {
    isTurnDue = false
    timeSlice.beginTurn()
    timeSlice.resume()
  }

  func dropped(_ count: Int, _ reason: DropReason) { drops[reason, default: 0] += count }

  func leftOut(_ leftOut: LeftOut) {
    omissions.append(leftOut)
    dropped(1, .failed)
  }

  func log(_ line: String) { lines.append(line) }

  func pipeline(_ text: String, named name: String? = nil) throws(Diagnostic) -> Pipeline {
    try Pipeline(text, named: name, lookup: source, names: { self.names })
  }

  func standing(_ text: String) throws(Diagnostic) -> RunDefinition {
    try RunDefinition(text, lookup: source, names: { self.names })
  }

  private var names: [String] { subjects.keys.sorted() + pipelines.keys.sorted() }

  private func source(_ name: String) -> NamedSource? {
    if name == "probe" || (name == "s" && payloads != nil) { return .subject }
    if let pattern = NamedSource.pattern(name) { return pattern }
    if let target = runs[name] { return .run(target: target) }
    return pipelines[name].map(NamedSource.pipeline) ?? (subjects[name] == nil ? nil : .subject)
  }

  /// Subscribes to `text` with unlimited demand; what its sources have at hand comes at once.
  func run(_ text: String) throws(Diagnostic) -> Recorder {
    let recorder = Recorder(clock)
    try pipeline(text).publisher(in: self).subscribe(recorder)
    while isTurnDue { turn() }
    return recorder
  }

  func send(_ payload: String, to name: String) {
    subjects[name]?.send(value(payload))
  }

  /// Sends each value at as many seconds as it counts.
  func send(_ values: ClosedRange<Int>, to name: String) {
    for number in values {
      clock.schedule(after: .init(nanoseconds: Int64(number) * 1_000_000_000)) {
        self.send("\(number)", to: name)
      }
    }
  }

  /// Moves the clock to `seconds`.
  func wait(until seconds: Double) {
    clock.advance(to: .init(nanoseconds: Int64(seconds * 1e9)))
  }
}

/// The value of which `bytes` are the JSON text; `nil` if they are none.
func read(_ bytes: [UInt8]) -> Value? {
  bytes.withUnsafeBytes { PaddedText.with(copyOf: $0, JSONReader.read) }
}

/// The value of a payload.
func value(_ payload: String) -> Value {
  Array(payload.utf8).withUnsafeBytes { Value(bytes: $0) }
}

extension Value {
  /// The bytes to send, as text.
  var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Keeps what it is sent, with the time in seconds.
final class Recorder: Subscriber, Cancellable {
  private(set) var values: [String] = []
  private(set) var times: [Double] = []
  private(set) var completions: [Subscribers.Completion<PipelineFailure>] = []
  /// The second of the end.
  private(set) var end: Double?
  private let clock: VirtualTimeScheduler
  private let demand: Subscribers.Demand
  private(set) var subscription: (any Subscription)?

  init(_ clock: VirtualTimeScheduler, demand: Subscribers.Demand = .unlimited) {
    self.clock = clock
    self.demand = demand
  }

  var failure: PipelineFailure? {
    if case .failure(let failure) = completions.first { failure } else { nil }
  }

  var joined: String { values.joined(separator: " ") }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    if demand > .none { subscription.request(demand) }
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    values.append(input.text)
    times.append(second)
    return .none
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    completions.append(completion)
    end = second
  }

  func cancel() { subscription?.cancel() }

  private var second: Double { Double(clock.now.nanoseconds / 1_000_000) / 1_000 }
}
