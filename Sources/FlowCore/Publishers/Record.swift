/// Publishes values and an end that have been recorded.
///
///     Record(output: [1, 2], completion: .finished)  1-2|
///
/// Each value is sent when it is asked for; the end comes with the last value, and without demand
/// if there are no values.
public struct Record<Output, Failure: Error>: Publisher {
  /// What is published.
  public let recording: Recording

  /// Makes a publisher of what `record` records.
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Makes a publisher of `recording`.
  public init(recording: Recording) { self.recording = recording }

  /// Makes a publisher of values and an end.
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Sends a subscription; without values, the end at once.
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    guard !recording.output.isEmpty else {
      subscriber.receive(subscription: Subscriptions.empty)
      return subscriber.receive(completion: recording.completion)
    }
    subscriber.receive(subscription: Inner(recording, subscriber))
  }
}

extension Record {
  /// Values and an end, as they have come.
  public struct Recording {
    /// The kind of value that is recorded.
    public typealias Input = Output

    /// The values.
    public private(set) var output: [Output]
    /// The end: `finished` until another comes.
    public private(set) var completion: Subscribers.Completion<Failure>
    private var isComplete: Bool

    /// Makes a recording that has yet to receive anything.
    public init() {
      output = []
      completion = .finished
      isComplete = false
    }

    /// Makes a recording that is complete.
    public init(output: [Output], completion: Subscribers.Completion<Failure> = .finished) {
      self.output = output
      self.completion = completion
      isComplete = true
    }

    /// Adds a value; traps if the end has come.
    public mutating func receive(_ input: Input) {
      precondition(!isComplete, "a recording got a value after its completion")
      output.append(input)
    }

    /// Adds the end; traps if it has come already.
    public mutating func receive(completion: Subscribers.Completion<Failure>) {
      precondition(!isComplete, "a recording got a second completion")
      self.completion = completion
      isComplete = true
    }
  }
}

extension Record: Sendable where Output: Sendable {}
extension Record.Recording: Sendable where Output: Sendable {}

extension Record: Codable where Output: Codable, Failure: Codable {}

private enum RecordingKey: String, CodingKey {
  case output, completion
}

extension Record.Recording: Codable where Output: Codable, Failure: Codable {
  /// Decodes a recording, which is complete.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: RecordingKey.self)
    let output = try container.decode([Output].self, forKey: .output)
    let completion = try container.decode(
      Subscribers.Completion<Failure>.self,
      forKey: .completion
    )
    self.init(output: output, completion: completion)
  }

  /// Encodes values and end.
  public func encode(into encoder: any Encoder) throws { try encode(to: encoder) }

  /// Encodes values and end, under the keys `output` and `completion`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: RecordingKey.self)
    try container.encode(output, forKey: .output)
    try container.encode(completion, forKey: .completion)
  }
}

extension Record {
  private final class Inner<Downstream: Subscriber>: Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let recording: Recording
    private let demand = DemandCounter()
    private let lock = Lock()
    private var downstream: Downstream?
    /// The index of the next value; belongs to whoever has the right to deliver.
    private var index = 0

    init(_ recording: Recording, _ downstream: Downstream) {
      self.recording = recording
      self.downstream = downstream
    }

    private var isOver: Bool { lock.withLock { downstream == nil } }

    var description: String { isOver ? "Cancelled Events" : "\(recording.output)" }

    var _children: [Mirror.Child] {
      [("sequence", isOver ? [] : recording.output), ("completion", recording.completion)]
    }

    /// Unlike most, it takes a demand of 0 for none, as Combine's does.
    func request(_ demand: Subscribers.Demand) {
      if demand > 0, self.demand.add(demand._count) { deliver() }
    }

    func cancel() { end() }

    private func deliver() {
      var allowed = demand.current
      while allowed > 0 {
        for _ in 0..<allowed {
          guard let downstream = lock.withLock({ downstream }) else { return }
          let value = recording.output[index]
          index += 1
          let more = downstream.receive(value)._count
          if more > 0 { _ = demand.add(more) }
          if index == recording.output.count {
            // The right to deliver is never given back.
            end()?.receive(completion: recording.completion)
            return
          }
        }
        allowed = demand.subtract(allowed)
      }
    }

    @discardableResult
    private func end() -> Downstream? {
      lock.withLock { downstream.take() }
    }
  }
}
