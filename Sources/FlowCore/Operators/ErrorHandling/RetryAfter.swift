extension Publisher {
  /// Subscribes again when this publisher fails, each time after `delay`, up to `retries` times.
  ///
  ///     source (fails once)                  --1--✕        --1--2--|
  ///     retry(3, delay: 6, scheduler: …)     --1-------------1--2--|
  ///
  /// Demand that is not met is carried over; the failure after the last try passes through at once.
  /// A cancellation ends the wait, too.
  @inlinable
  @_disfavoredOverload
  public func retry<S: Scheduler>(
    _ retries: Int,
    delay: S.SchedulerTimeType.Stride,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.RetryAfter<Self, S> {
    retry(retries, backoff: .constant(delay), scheduler: scheduler, options: options)
  }

  /// Subscribes again when this publisher fails, each time after the wait that `backoff` says.
  ///
  ///     source.retry(5, backoff: .exponential(from: .milliseconds(100), upTo: .seconds(10)),
  ///       scheduler: queue)
  @inlinable
  @_disfavoredOverload
  public func retry<S: Scheduler>(
    _ retries: Int,
    backoff: RetryBackoff<S.SchedulerTimeType.Stride>,
    scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Publishers.RetryAfter<Self, S> {
    Publishers.RetryAfter(
      upstream: self,
      retries: retries,
      backoff: backoff,
      scheduler: scheduler,
      options: options
    )
  }
}

/// How long to wait before each try.
public struct RetryBackoff<Stride: SchedulerTimeIntervalConvertible & Comparable & SignedNumeric> {
  /// The wait before a try, which is 1 for the first one after a failure.
  public let wait: (_ attempt: Int) -> Stride

  /// Waits for what `wait` says before a try, which is 1 for the first one after a failure.
  @inlinable
  public init(_ wait: @escaping (_ attempt: Int) -> Stride) { self.wait = wait }

  /// Waits equally long each time.
  @inlinable
  public static func constant(_ delay: Stride) -> RetryBackoff { RetryBackoff { _ in delay } }

  /// Waits for `first`, then `factor` times as long each time, but never longer than `limit`.
  ///
  /// `factor` is 1 or more.
  public static func exponential(from first: Stride, factor: Int = 2, upTo limit: Stride)
    -> RetryBackoff
  {
    precondition(factor >= 1, "factor is \(factor), expected 1 or more")
    return RetryBackoff { attempt in
      var delay = Swift.min(first, limit)
      guard delay > 0, factor > 1 else { return delay }
      var left = attempt - 1
      while left > 0, delay < limit {
        left -= 1
        delay = delay.multiplied(by: factor, upTo: limit)
      }
      return delay
    }
  }
}

extension Comparable where Self: SignedNumeric {
  /// A multiple of a time above 0, but never beyond `limit`: sums of it doubled again and again,
  /// since strides of time do not multiply.
  fileprivate func multiplied(by factor: Int, upTo limit: Self) -> Self {
    var sum: Self = 0
    var (term, left) = (self, factor)
    while true {
      if left % 2 == 1 {
        if sum >= limit - term { return limit }
        sum += term
      }
      left /= 2
      if left == 0 { return sum }
      if term >= limit - term { return limit }
      term += term
    }
  }
}

extension Publishers {
  /// See `retry(_:delay:scheduler:options:)`.
  public struct RetryAfter<Upstream: Publisher, Context: Scheduler>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that is subscribed to again.
    public let upstream: Upstream
    /// How many times to subscribe again; a negative number is without end.
    public let retries: Int
    /// How long to wait before each try.
    public let backoff: RetryBackoff<Context.SchedulerTimeType.Stride>
    /// What keeps the time, and where the upstream is subscribed to again.
    public let scheduler: Context
    /// What the scheduler is given with each wait.
    public let options: Context.SchedulerOptions?

    /// Creates a publisher that subscribes to `upstream` again some time after that has failed.
    ///
    /// A wait of 0 or less is none: the scheduler is given the try at once.
    @inlinable
    public init(
      upstream: Upstream,
      retries: Int,
      backoff: RetryBackoff<Context.SchedulerTimeType.Stride>,
      scheduler: Context,
      options: Context.SchedulerOptions?
    ) {
      self.upstream = upstream
      self.retries = retries
      self.backoff = backoff
      self.scheduler = scheduler
      self.options = options
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (upstream, publisher) = (upstream, self)
      let source: Resubscriber<Failure, S>.Source = { upstream.receive(subscriber: $0) }
      var attempt = 0
      let inner = Resubscriber<Failure, S>("Retry", .retry, subscriber) { error in
        guard publisher.retries < 0 || attempt < publisher.retries else { return .fail(error) }
        attempt += 1
        let wait = publisher.backoff.wait(attempt)
        return .subscribeLater(source) {
          publisher.scheduler._startWait(after: wait, publisher.options, $0)
        }
      }
      inner.subscribe(to: source)
    }
  }
}

extension Scheduler {
  /// A timer that is due once, if it is cancelled then.
  @inlinable
  func _startWait(
    after wait: SchedulerTimeType.Stride,
    _ options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard wait > 0 else {
      schedule(options: options, action)
      return Subscriptions.empty
    }
    return schedule(
      after: now.advanced(by: wait),
      interval: wait,
      tolerance: minimumTolerance,
      options: options,
      action
    )
  }
}
