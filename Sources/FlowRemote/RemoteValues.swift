import FlowCore

extension RemotePublisher {
  /// The values, for `for try await`, asked for ahead as the distance of the server demands.
  ///
  /// Each iterator opens a stream when it is made, and asks for nothing before the first `next()`.
  /// One value at a time would cost a round trip each. So it is asked for about twice as many values
  /// as were taken in a round trip, and those that come wait here: no more than a million, of 16 MiB.
  /// Whoever takes longer over a value than a round trip is asked for exactly what is awaited.
  /// The stream is cancelled when the task is, or when the iterator is let go.
  ///
  /// Behind an operator (`publisher.map { … }.values`) it is the subscriber's demand that counts,
  /// one value at a time; put `buffer(size:prefetch:whenFull:)` with `.keepFull` in between.
  public var values: RemoteValues<Output> { RemoteValues(self) }
}

/// The values of a `RemotePublisher` as an asynchronous sequence.
public struct RemoteValues<Output>: AsyncSequence, Sendable {
  /// The kind of value published.
  public typealias Element = Output
  /// Why the stream failed.
  public typealias Failure = RemoteError

  private let publisher: RemotePublisher<Output>

  init(_ publisher: RemotePublisher<Output>) { self.publisher = publisher }

  /// Opens a stream; nothing is asked for before `next()`.
  public func makeAsyncIterator() -> Iterator {
    let values = ArrivedValues(publisher)
    values.start()
    return Iterator(values)
  }

  /// Takes one value after another from a stream of its own.
  public struct Iterator: AsyncIteratorProtocol {
    /// Cancels the stream when it goes.
    private final class Hold {
      let values: ArrivedValues<Output>

      init(_ values: ArrivedValues<Output>) { self.values = values }

      deinit { values.cancel() }
    }

    private let hold: Hold

    init(_ values: ArrivedValues<Output>) { hold = Hold(values) }

    /// Takes a value, or waits for it; none after the end, or when the task is cancelled.
    ///
    /// A failure is thrown once, to the first that waits.
    public mutating func next() async throws(RemoteError) -> Output? {
      try await next(isolation: nil)
    }

    /// The same, without leaving the actor that asks.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RemoteError) -> Output? {
      let values = hold.values
      if Task.isCancelled {
        values.cancel()
      } else if let answer = values.take() {
        return try answer.get()
      }
      return try await withTaskCancellationHandler(
        operation: {
          await withCheckedContinuation(isolation: actor) { values.wait($0) }
        },
        onCancel: { values.cancel() },
        isolation: actor
      ).value.get()
    }
  }
}

/// Between a stream and the tasks that take its values: what came and was not taken yet.
///
/// Unchecked: its variables are locked.
@safe
final class ArrivedValues<Output>: RemoteSubscriptionHandler, @unchecked Sendable {
  typealias Answer = Result<Output?, RemoteError>
  typealias Waiting = CheckedContinuation<HandedOver<Answer>, Never>

  fileprivate struct State {
    var stream: RemoteSubscription?
    var isOver = false
    /// Kept for who asks next, when nobody waited for it.
    var failure: RemoteError?
    var window = DemandWindow(least: 0, overhead: 64)
    var roundTrip: UInt64?
    /// Values asked for and not taken: those under way, and those that have arrived.
    var ahead = 0
    var arrived = Fifo<(value: Output, size: Int)>()
    /// Those who wait; then nothing has arrived.
    var waiting = Fifo<Waiting>()
  }

  private let publisher: RemotePublisher<Output>
  private let lock = Lock()
  private nonisolated(unsafe) var state = State()  // under `lock`, memory 6

  init(_ publisher: RemotePublisher<Output>) { self.publisher = publisher }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    lock.withLock { unsafe body(&state) }
  }

  func start() {
    let stream = publisher.remote.subscribe(publisher.expression, handler: self)
    withState { if !$0.isOver { $0.stream = stream } }
  }

  // MARK: The tasks

  /// A value that has arrived, or the end; without either, `task` waits for it.
  func take(orWait task: Waiting? = nil) -> Answer? {
    let now = publisher.remote.now
    let (answer, more, stream) = withState { state -> (Answer?, Int, RemoteSubscription?) in
      let answer = state.takeAnswer()
      if answer == nil, let task { state.waiting.append(task) }
      return (answer, state.more(at: now), state.stream)
    }
    if more > 0 { stream?.request(.max(more)) }
    return answer
  }

  /// Resumes a task that has found nothing with what comes.
  func wait(_ task: Waiting) {
    if let answer = take(orWait: task) { task.resume(returning: HandedOver(value: answer)) }
  }

  func cancel() {
    let stream = withState { state in
      defer { state.arrived = Fifo() }
      return state.stream
    }
    end(nil)
    stream?.cancel()
  }

  /// Ends it once, and the waiting.
  private func end(_ failure: RemoteError?) {
    let waiting = withState { state -> Fifo<Waiting> in
      guard !state.isOver else { return Fifo() }
      state.isOver = true
      state.stream = nil
      if state.waiting.isEmpty { state.failure = failure }
      return state.waiting.takeAll()
    }
    var failure = failure
    for task in waiting.elements {
      let answer: Answer = failure.take().map { .failure($0) } ?? .success(nil)
      task.resume(returning: HandedOver(value: answer))
    }
  }

  // MARK: The stream

  func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
    let value: Output
    do throws(RemoteError) {
      value = unsafe try publisher.decode(payload)
    } catch {
      s.cancel()
      return end(error)
    }
    let now = publisher.remote.now
    let size = payload.count
    let (task, more) = withState { state -> (Waiting?, Int) in
      guard !state.isOver else { return (nil, 0) }
      state.roundTrip = publisher.remote.roundTrip
      guard let task = state.waiting.popFirst() else {
        state.arrived.append((value, size))
        return (nil, 0)
      }
      state.took(size)
      return (task, state.more(at: now))
    }
    task?.resume(returning: HandedOver(value: .success(value)))
    if more > 0 { s.request(.max(more)) }
  }

  func subscriptionPassedValues(_ s: RemoteSubscription) {}

  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
    publisher.missed?(count, reason)
  }

  func subscription(_ s: RemoteSubscription, ended error: RemoteError?) { end(error) }
}

extension ArrivedValues.State {
  mutating func takeAnswer() -> ArrivedValues.Answer? {
    if let (value, size) = arrived.popFirst() {
      took(size)
      return .success(value)
    }
    guard isOver else { return nil }
    return failure.take().map { .failure($0) } ?? .success(nil)
  }

  mutating func took(_ size: Int) {
    ahead -= 1
    window.take(1, bytes: size)
  }

  /// How much to ask for now, counted as asked for.
  ///
  /// A window of one is no window: what is awaited is asked for, and nothing before.
  mutating func more(at now: UInt64) -> Int {
    guard !isOver else { return 0 }
    window.adapt(at: now, roundTrip: roundTrip)
    let size = max(waiting.count, window.size > 1 ? window.size : 0)
    let room = size - ahead
    guard room > 0, ahead < waiting.count || room > size / 4 else { return 0 }
    ahead += room
    return room
  }
}
