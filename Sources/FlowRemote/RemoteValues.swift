import FlowCore

extension RemotePublisher {
  /// The values, for `for try await`, requested in advance to cover the round trip.
  ///
  /// Each iterator opens a stream when it is made, and requests nothing before the first `next()`.
  /// To avoid a round trip for each value, it requests about twice the values taken in a round
  /// trip, at most a million or 16 MiB, which wait here. A loop slower than a round trip requests
  /// only what it awaits. Values of one read of the socket become available together. The stream is
  /// cancelled with the task, or when the iterator is released.
  ///
  /// After an operator (`publisher.map { … }.values`) the subscriber requests one value at a time;
  /// insert `buffer(size:prefetch:whenFull:)` with `.keepFull`.
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

  /// Opens a stream; it requests nothing before `next()`.
  public func makeAsyncIterator() -> Iterator {
    let values = ArrivedValues(publisher)
    values.start()
    return Iterator(values)
  }

  /// An iterator with a stream of its own.
  public struct Iterator: AsyncIteratorProtocol {
    private let taken: TakenValues<Output>

    init(_ arrived: ArrivedValues<Output>) { taken = TakenValues(arrived) }

    /// Waits for the next value; `nil` after the end, or when the task is cancelled.
    ///
    /// A failure is thrown once, to the first waiting task.
    public mutating func next() async throws(RemoteError) -> Output? {
      try await next(isolation: nil)
    }

    /// Waits for the next value without leaving the calling actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RemoteError) -> Output? {
      let taken = taken
      if Task.isCancelled {
        taken.cancel()
      } else if let value = taken.next() {
        return value
      } else if let answer = taken.refill() {
        return try answer.get()
      }
      let arrived = taken.arrived
      return try await withTaskCancellationHandler(
        operation: {
          await withCheckedContinuation(isolation: actor) { arrived.wait($0) }
        },
        onCancel: { arrived.cancel() },
        isolation: actor
      ).value.get()
    }
  }
}

/// The arrived values that an iterator has taken, to return one by one.
///
/// Requests nothing while there are some, and cancels the stream when released.
private final class TakenValues<Output> {
  let arrived: ArrivedValues<Output>
  private var batch = ArrivedValues<Output>.Batch()
  /// The number of returned values not reported to the stream.
  private var untold = 0

  init(_ arrived: ArrivedValues<Output>) { self.arrived = arrived }

  deinit { arrived.cancel() }

  func cancel() {
    batch = ArrivedValues<Output>.Batch()
    arrived.cancel()
  }

  func next() -> Output? {
    guard batch.place < batch.values.count else { return nil }
    let value = batch.values[batch.place]
    batch.place += 1
    untold += 1
    if untold == batch.stride {
      untold = 0
      arrived.gave(out: batch.stride, bytes: batch.bytes(of: batch.stride))
    }
    return value
  }

  /// Takes newly arrived values and returns the first, or the end.
  func refill() -> ArrivedValues<Output>.Answer? {
    let (count, bytes) = (untold, batch.bytes(of: untold))
    untold = 0
    let end = arrived.exchange(&batch, after: count, bytes: bytes)
    return next().map { .success($0) } ?? end
  }
}

/// Holds values between a stream and the tasks that take them.
///
/// Values of one read of the socket are added and taken together. Unchecked: its variables are
/// under `lock` or used on the queue only.
@safe
final class ArrivedValues<Output>: RemoteSubscriptionHandler, @unchecked Sendable {
  typealias Answer = Result<Output?, RemoteError>
  typealias Waiting = CheckedContinuation<HandedOver<Answer>, Never>

  struct Batch {
    var values: ContiguousArray<Output> = []
    /// The index of the next value to return.
    var place = 0
    /// The size of all values, in bytes.
    var bytes = 0
    /// The number of values to return before checking for more demand.
    var stride = 1

    var isEmpty: Bool { place == values.count }

    /// The size of `count` average values, in bytes.
    func bytes(of count: Int) -> Int { count == 0 ? 0 : bytes * count / values.count }

    mutating func append(_ other: Batch) {
      if isEmpty {
        self = other
      } else {
        values.append(contentsOf: other.values)
        bytes += other.bytes
      }
    }
  }

  fileprivate struct State {
    var stream: RemoteSubscription?
    var isOver = false
    /// The failure, kept for the next `next()` if no task was waiting.
    var failure: RemoteError?
    var window = DemandWindow(least: 0, overhead: 64)
    /// Whether requesting a value acknowledges the previous one.
    var isDurable = false
    var roundTrip: UInt64?
    /// Values requested and not returned: in transit or arrived.
    var ahead = 0
    var arrived = Batch()
    /// The waiting tasks; while there are any, no value has arrived.
    var waiting = Fifo<Waiting>()
  }

  private let publisher: RemotePublisher<Output>
  private let lock = Lock()
  private nonisolated(unsafe) var state = State()  // under `lock`, memory 6
  /// The values of the current read; used on the queue only, memory 6.
  private nonisolated(unsafe) var coming = Batch()

  init(_ publisher: RemotePublisher<Output>) { self.publisher = publisher }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    lock.withLock { unsafe body(&state) }
  }

  func start() {
    let stream = publisher.remote.makeSubscription(
      publisher.expression,
      durable: publisher.durable,
      handler: self
    )
    stream.open(.none)
    withState {
      $0.isDurable = publisher.durable != nil
      if !$0.isOver { $0.stream = stream }
    }
  }

  // MARK: The tasks

  /// Records that `count` values of `bytes` bytes in all were returned.
  func gave(out count: Int, bytes: Int) { askForMore { $0.gave(out: count, bytes: bytes) } }

  /// Moves arrived values into `batch` after `count` values were returned; without values, returns
  /// the end if it has come.
  func exchange(_ batch: inout Batch, after count: Int, bytes: Int) -> Answer? {
    askForMore { state in
      state.gave(out: count, bytes: bytes)
      batch = state.arrived
      batch.stride = max(1, min(batch.values.count, state.window.size / 8))
      state.arrived = Batch()
      return batch.isEmpty ? state.takeEnd() : nil
    }
  }

  /// Adds a task that waits for the next value.
  func wait(_ task: Waiting) {
    let answer = askForMore { state -> Answer? in
      if let value = state.takeOne() { return .success(value) }
      if let end = state.takeEnd() { return end }
      state.waiting.append(task)
      return nil
    }
    if let answer { task.resume(returning: HandedOver(value: answer)) }
  }

  /// Runs `body` with the state, then requests more values if they are due.
  private func askForMore<R>(_ body: (inout State) -> R) -> R {
    let now = publisher.remote.now
    let (result, more, stream) = withState { state in
      let result = body(&state)
      return (result, state.more(at: now), state.stream)
    }
    if more > 0 { stream?.request(.max(more)) }
    return result
  }

  func cancel() {
    let stream = withState { state in
      defer { state.arrived = Batch() }
      return state.stream
    }
    end(nil)
    stream?.cancel()
  }

  /// Ends the stream once, and resumes the waiting tasks.
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
    do throws(RemoteError) {
      let value = unsafe try publisher.decode(payload)
      unsafe coming.values.append(value)
      unsafe coming.bytes += payload.count
    } catch {
      handOver()
      s.cancel()
      end(error)
    }
  }

  func subscriptionPassedValues(_ s: RemoteSubscription) { handOver() }

  /// Makes the values of the read available, one for each waiting task first.
  private func handOver() {
    guard unsafe !coming.isEmpty else { return }
    let new = unsafe coming
    unsafe coming = Batch()
    unsafe coming.values.reserveCapacity(new.values.count)
    let served = askForMore { state -> [(Waiting, Output)] in
      guard !state.isOver else { return [] }
      state.roundTrip = publisher.remote.roundTrip
      state.arrived.append(new)
      var served: [(Waiting, Output)] = []
      while let task = state.waiting.first, let value = state.takeOne() {
        _ = state.waiting.popFirst()
        served.append((task, value))
      }
      return served
    }
    for (task, value) in served { task.resume(returning: HandedOver(value: .success(value))) }
  }

  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
    publisher.missed?(count, reason)
  }

  func subscriptionHasFreeFlow(_ s: RemoteSubscription) { publisher.freeFlow?() }

  func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
    handOver()
    end(error)
  }
}

extension ArrivedValues.State {
  mutating func takeOne() -> Output? {
    guard !arrived.isEmpty else { return nil }
    defer { arrived.place += 1 }
    gave(out: 1, bytes: arrived.bytes(of: 1))
    return arrived.values[arrived.place]
  }

  /// The end, if it has come; a failure only once.
  mutating func takeEnd() -> ArrivedValues.Answer? {
    guard isOver else { return nil }
    return failure.take().map { .failure($0) } ?? .success(nil)
  }

  mutating func gave(out count: Int, bytes: Int) {
    guard count > 0 else { return }
    ahead -= count
    window.take(count, bytes: bytes)
  }

  /// Returns the demand to request now, and records it.
  ///
  /// With a window of one, only awaited values are requested.
  mutating func more(at now: UInt64) -> Int {
    guard !isOver else { return 0 }
    if !isDurable { window.adapt(at: now, roundTrip: roundTrip) }
    let size = max(waiting.count, window.size > 1 ? window.size : 0)
    let room = size - ahead
    guard room > 0, ahead < waiting.count || room > size / 4 else { return 0 }
    ahead += room
    return room
  }
}
