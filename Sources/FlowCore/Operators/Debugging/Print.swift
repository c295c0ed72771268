extension Publisher {
  /// Writes a line for each signal that passes, to `stream` or to standard output.
  ///
  ///     orders: receive subscription: (PassthroughSubject)
  ///     orders: request unlimited
  ///     orders: receive value: (1)
  ///     orders: receive finished
  public func print(
    _ prefix: String = "",
    to stream: (any TextOutputStream)? = nil
  ) -> Publishers.Print<Self> {
    Publishers.Print(upstream: self, prefix: prefix, to: stream)
  }
}

extension Publishers {
  /// See `print(_:to:)`.
  public struct Print<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let prefix: String
    public let stream: (any TextOutputStream)?

    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let log = PrintLog(prefix, stream)
      upstream.handleEvents(
        receiveSubscription: { log.write("receive subscription: (\($0))") },
        receiveOutput: { log.write("receive value: (\($0))") },
        receiveCompletion: { completion in
          switch completion {
          case .finished: log.write("receive finished")
          case .failure(let error): log.write("receive error: (\(error))")
          }
        },
        receiveCancel: { log.write("receive cancel") },
        receiveRequest: { log.write(request: $0) }
      )
      .receive(subscriber: subscriber)
    }
  }
}

/// Where the lines go; one at a time.
private final class PrintLog {
  private let prefix: String
  private let lock = Lock()
  private var stream: (any TextOutputStream)?

  init(_ prefix: String, _ stream: (any TextOutputStream)?) {
    self.prefix = prefix.isEmpty ? "" : "\(prefix): "
    self.stream = stream
  }

  func write(request demand: Subscribers.Demand) {
    write(demand.max.map { "request max: (\($0))" } ?? "request unlimited")
  }

  func write(_ line: String) {
    lock.withLock {
      if var stream {
        stream.write("\(prefix)\(line)\n")
        self.stream = stream
      } else {
        Swift.print("\(prefix)\(line)")
      }
    }
  }
}
