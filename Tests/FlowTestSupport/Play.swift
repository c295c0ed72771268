public import FlowCore

/// Plays sources drawn with marbles through a pipeline; returns its output as marbles.
///
///     play("--1--2--|") { source, clock in source.delay(for: 1, scheduler: clock) } == "---1--2--|"
///
/// Each character is a second of virtual time. `-` is a second without signals, `|` the end, `✕` a
/// failure, and any other character a value; `(12|)` are several signals in one second, `[10]` is
/// a value of several characters. Sources are hot: a value for which there is no demand is missed.
///
/// - Parameters:
///   - sources: The marbles of the sources.
///   - demand: How many values the subscriber requests.
///   - seconds: When to stop; by default when nothing is scheduled any more.
///   - pipeline: Makes the pipeline from the sources.
/// - Returns: The marbles of the subscriber's signals.
public func play<P: Publisher>(
  _ sources: [String],
  demand: Subscribers.Demand = .unlimited,
  until seconds: Int? = nil,
  through pipeline: ([MarbleSource], VirtualTimeScheduler) -> P
) -> String {
  let clock = VirtualTimeScheduler()
  let drawn = sources.map { Marbles($0) }
  let subjects = sources.map { _ in PassthroughSubject<String, MarbleFailure>() }
  let length = seconds ?? drawn.map(\.seconds.count).max() ?? 0
  var result = Marbles(length: length)

  for (marbles, subject) in zip(drawn, subjects) {
    for (second, signals) in marbles.seconds.enumerated() where !signals.isEmpty {
      clock.schedule(after: clock.now.advanced(by: .seconds(second))) {
        for signal in signals { subject.send(signal) }
      }
    }
  }

  let subscriber = RecordingSubscriber<P.Output, P.Failure>(demand) { _, value in
    result.add(.value("\(value)"), at: clock.second)
    return .none
  }
  pipeline(subjects.map { $0.eraseToAnyPublisher() }, clock)
    .handleEvents(receiveCompletion: { completion in
      switch completion {
      case .finished: result.add(.finished, at: clock.second)
      case .failure: result.add(.failure, at: clock.second)
      }
    })
    .subscribe(subscriber)
  if let seconds {
    clock.advance(by: .seconds(seconds))
  } else {
    clock.run(limit: 10_000)
  }
  subscriber.cancel()
  result.trim()
  return result.text
}

/// Plays one source through a pipeline that needs no clock.
public func play<P: Publisher>(
  _ source: String,
  demand: Subscribers.Demand = .unlimited,
  until seconds: Int? = nil,
  through pipeline: (MarbleSource) -> P
) -> String {
  play([source], demand: demand, until: seconds) { sources, _ in pipeline(sources[0]) }
}

/// Plays one source through a pipeline.
public func play<P: Publisher>(
  _ source: String,
  demand: Subscribers.Demand = .unlimited,
  until seconds: Int? = nil,
  through pipeline: (MarbleSource, VirtualTimeScheduler) -> P
) -> String {
  play([source], demand: demand, until: seconds) { sources, clock in pipeline(sources[0], clock) }
}

/// Plays two sources through a pipeline.
public func play<P: Publisher>(
  _ a: String,
  _ b: String,
  demand: Subscribers.Demand = .unlimited,
  until seconds: Int? = nil,
  through pipeline: (MarbleSource, MarbleSource) -> P
) -> String {
  play([a, b], demand: demand, until: seconds) { sources, _ in pipeline(sources[0], sources[1]) }
}

extension PassthroughSubject<String, MarbleFailure> {
  fileprivate func send(_ signal: Marbles.Signal) {
    switch signal {
    case .value(let value): send(value)
    case .finished: send(completion: .finished)
    case .failure: send(completion: .failure(MarbleFailure()))
    }
  }
}

extension VirtualTimeScheduler {
  fileprivate var second: Int { Int(now.nanoseconds / 1_000_000_000) }
}
