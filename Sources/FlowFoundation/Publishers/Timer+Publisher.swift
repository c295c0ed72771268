public import FlowCore
public import Foundation

extension Timer {
  /// Publishes the date again and again, once it is connected.
  ///
  ///     Timer.publish(every: 1, on: .main, in: .default).autoconnect()
  ///
  /// It never ends. A date for which a subscriber has no demand is left out for that one. As in
  /// Combine `tolerance` has no effect: the timer is as exact as it can be.
  public static func publish(
    every interval: TimeInterval,
    tolerance: TimeInterval? = nil,
    on runLoop: RunLoop,
    in mode: RunLoop.Mode,
    options: RunLoop.SchedulerOptions? = nil
  ) -> TimerPublisher {
    TimerPublisher(interval: interval, runLoop: runLoop, mode: mode, options: options)
  }

  /// See `publish(every:tolerance:on:in:options:)`.
  ///
  /// Each connection has a timer of its own; cancelling one stops them all.
  public final class TimerPublisher: ConnectablePublisher {
    public typealias Output = Date
    public typealias Failure = Never

    /// The seconds between two dates.
    public let interval: TimeInterval
    /// How many seconds late a date may be.
    public let tolerance: TimeInterval?
    /// Where the timer runs, and subscribers are sent its dates.
    public let runLoop: RunLoop
    /// The mode in which it runs.
    public let mode: RunLoop.Mode
    public let options: RunLoop.SchedulerOptions?

    private let subject = PassthroughSubject<Date, Never>()
    private let lock = NSLock()
    private var timers: [Timer] = []

    public init(
      interval: TimeInterval,
      tolerance: TimeInterval? = nil,
      runLoop: RunLoop,
      mode: RunLoop.Mode,
      options: RunLoop.SchedulerOptions? = nil
    ) {
      self.interval = interval
      self.tolerance = tolerance
      self.runLoop = runLoop
      self.mode = mode
      self.options = options
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Date, S.Failure == Never {
      subject.subscribe(Inner(subscriber))
    }

    public func connect() -> any Cancellable {
      let subject = subject
      let timer = Timer(timeInterval: interval, repeats: true) { _ in subject.send(Date()) }
      timer.tolerance = tolerance ?? 0
      lock.withLock { timers.append(timer) }
      runLoop.add(timer, forMode: mode)
      return Connection(publisher: self)
    }

    private func disconnect() {
      let timers = lock.withLock {
        defer { self.timers = [] }
        return self.timers
      }
      for timer in timers { timer.invalidate() }
    }
  }
}

extension Timer.TimerPublisher {
  private final class Connection: Cancellable {
    private let lock = NSLock()
    private var publisher: Timer.TimerPublisher?

    init(publisher: Timer.TimerPublisher) { self.publisher = publisher }

    func cancel() { lock.withLock { publisher.take() }?.disconnect() }
  }

  /// One subscription; as in Combine it has no description.
  private final class Inner<Downstream: Subscriber>: Subscriber, Subscription
  where Downstream.Input == Date, Downstream.Failure == Never {
    typealias Input = Date
    typealias Failure = Never

    private let lock = NSLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?

    init(_ downstream: Downstream) { self.downstream = downstream }

    func receive(subscription: any Subscription) {
      let downstream = lock.withLock {
        upstream = subscription
        return self.downstream
      }
      downstream?.receive(subscription: self)
    }

    func receive(_ input: Date) -> Subscribers.Demand {
      lock.withLock { downstream }?.receive(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

    func cancel() {
      let (upstream, downstream) = lock.withLock { (self.upstream.take(), self.downstream.take()) }
      upstream?.cancel()
      withExtendedLifetime(downstream) {}
    }
  }
}
