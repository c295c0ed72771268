extension Publisher {
  /// Writes a line for each signal that passes, to `stream` or to standard output.
  ///
  ///     orders: receive subscription: (PassthroughSubject)
  ///     orders: request unlimited
  ///     orders: receive value: (1)
  ///     orders: request max: (1) (synchronous)
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

    /// The publisher whose signals are written.
    public let upstream: Upstream
    /// What each line begins with, before a colon; nothing if it is empty.
    public let prefix: String
    /// Where the lines go; `nil` is standard output.
    public let stream: (any TextOutputStream)?

    /// Creates a publisher that writes a line for each signal of `upstream`.
    ///
    /// Lines are written one at a time, whatever threads signals come on. Each subscription writes
    /// to a copy of `stream`, if that is a value type.
    public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
      self.upstream = upstream
      self.prefix = prefix
      self.stream = stream
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: TapSubscriber("Print", subscriber, Log(prefix, stream)))
    }

    /// Where the lines go, one at a time: who finds nobody writing writes.
    private final class Log: SignalTap {
      private let prefix: String
      private let lock = Lock()
      private var lines = Fifo<String>()
      private var isWriting = false
      /// Touched only by who writes.
      private var stream: Stream?

      init(_ prefix: String, _ stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : "\(prefix): "
        self.stream = stream.map { Stream(target: $0) }
      }

      func receive(subscription: any Subscription) {
        write("receive subscription: (\(subscription))")
      }

      func receive(_ output: Output) { write("receive value: (\(output))") }

      func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: write("receive finished")
        case .failure(let error): write("receive error: (\(error))")
        }
      }

      func request(_ demand: Subscribers.Demand, isReturned: Bool) {
        let count = demand.max.map { "request max: (\($0))" } ?? "request unlimited"
        write(isReturned ? count + " (synchronous)" : count)
      }

      func cancel() { write("receive cancel") }

      private func write(_ line: String) {
        let mayWrite = lock.withLock {
          lines.append(prefix + line)
          defer { isWriting = true }
          return !isWriting
        }
        guard mayWrite else { return }
        while let line = nextLine() {
          if stream == nil { Swift.print(line) } else { stream?.print(line) }
        }
      }

      private func nextLine() -> String? {
        lock.withLock {
          let line = lines.popFirst()
          isWriting = line != nil
          return line
        }
      }
    }

    /// Any stream, as one that can be printed to.
    private struct Stream: TextOutputStream {
      var target: any TextOutputStream

      mutating func write(_ string: String) { target.write(string) }

      mutating func print(_ line: String) { Swift.print(line, to: &self) }
    }
  }
}
