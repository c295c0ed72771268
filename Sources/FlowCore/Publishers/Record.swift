internal import Synchronization

/// Publishes values and an end that have been recorded.
///
///     Record(output: [1, 2], completion: .finished)  1-2|
///
/// Each value is sent when it is asked for; the end comes with the last value, and without demand
/// if there are no values.
@frozen
public struct Record<Output, Failure: Error>: Publisher {
  /// What is published.
  public let recording: Recording

  /// Makes a publisher of what `record` records.
  @inlinable
  public init(record: (inout Recording) -> Void) {
    var recording = Recording()
    record(&recording)
    self.init(recording: recording)
  }

  /// Makes a publisher of `recording`.
  @inlinable
  public init(recording: Recording) { self.recording = recording }

  /// Makes a publisher of values and an end.
  @inlinable
  public init(output: [Output], completion: Subscribers.Completion<Failure>) {
    self.init(recording: Recording(output: output, completion: completion))
  }

  /// Sends a subscription; without values, the end at once.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    var values = recording.output.makeIterator()
    guard let first = values.next() else {
      subscriber.receive(subscription: Subscriptions.empty)
      return subscriber.receive(completion: recording.completion)
    }
    let inner = Inner(recording.output, first, values, subscriber, recording.completion)
    subscriber.receive(subscription: inner)
  }
}

extension Record {
  /// Always: the values are there.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { .always }

  /// As many as there are.
  @inlinable @inline(__always)
  public var _atMost: Int { recording.output.count }

  /// A cursor of the values, unless it fails, which comes with the last one.
  @inlinable @inline(__always)
  public var _cursor: _SequenceCursor<IndexingIterator<[Output]>>? {
    guard case .finished = recording.completion else { return nil }
    return _SequenceCursor(recording.output.makeIterator())
  }

  /// Hands over the values, in order.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    var values = recording.output.makeIterator()
    while let value = values.next() {
      if unsafe !withUnsafePointer(to: value, take) { return .stopped }
    }
    return switch recording.completion {
    case .finished: .finished
    case .failure(let error): .failure(error)
    }
  }
}

extension Record {
  /// Values and an end, as they have come.
  @frozen
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
  /// It shows itself as Combine's does.
  @usableFromInline
  final class Inner<Downstream: Subscriber>: _SequenceSubscription<[Output], Downstream>
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline
    override var description: String {
      isOver.load(ordering: .relaxed) ? "Cancelled Events" : "\(sequence)"
    }

    @usableFromInline
    override var _children: [Mirror.Child] {
      let shown = isOver.load(ordering: .relaxed) ? [] : sequence
      return [("sequence", shown), ("completion", completion)]
    }
  }
}
