public import FlowCore
public import Foundation
public import FoundationNetworking

extension URLSession {
  /// Publishes what comes back for a URL, then finishes, or fails.
  public func dataTaskPublisher(for url: URL) -> DataTaskPublisher {
    dataTaskPublisher(for: URLRequest(url: url))
  }

  /// Publishes what comes back for a request, then finishes, or fails.
  ///
  /// Each subscription has a task of its own, which is started by the first demand, and cancelled
  /// with the subscription. Signals come on the session's delegate queue.
  public func dataTaskPublisher(for request: URLRequest) -> DataTaskPublisher {
    DataTaskPublisher(request: request, session: self)
  }

  /// See `dataTaskPublisher(for:)`.
  public struct DataTaskPublisher: Publisher {
    public typealias Output = (data: Data, response: URLResponse)
    public typealias Failure = URLError

    public let request: URLRequest
    public let session: URLSession

    public init(request: URLRequest, session: URLSession) {
      self.request = request
      self.session = session
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      subscriber.receive(subscription: Inner(self, subscriber))
    }
  }
}

extension URLSession.DataTaskPublisher {
  /// One subscription; the lock guards all state.
  private final class Inner<Downstream: Subscriber>: Subscription, _SelfDescribing,
    @unchecked Sendable
  where Downstream.Input == Output, Downstream.Failure == Failure {
    private let lock = NSLock()
    // These two are there until the end.
    private var parent: URLSession.DataTaskPublisher?
    private var downstream: Downstream?
    private var task: URLSessionDataTask?
    private var demand = Subscribers.Demand.none
    private var isCancelled = false

    init(_ parent: URLSession.DataTaskPublisher, _ downstream: Downstream) {
      self.parent = parent
      self.downstream = downstream
    }

    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      let (task, parent) = lock.withLock {
        defer { self.demand += demand }
        return (self.task, self.demand == .none ? self.parent : nil)
      }
      if let parent { return start(parent) }
      task?.resume()
    }

    private func start(_ parent: URLSession.DataTaskPublisher) {
      let complete = HandedOver(value: complete)
      let task = parent.session.dataTask(with: parent.request) { complete.value($0, $1, $2) }
      let isWanted = lock.withLock {
        guard downstream != nil else { return false }
        self.task = task
        return true
      }
      if isWanted { task.resume() } else { task.cancel() }
    }

    private func complete(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
      guard let downstream = end().downstream else { return }
      if let response, error == nil {
        _ = downstream.receive((data ?? Data(), response))
        if lock.withLock({ isCancelled }) { return }
        downstream.receive(completion: .finished)
      } else {
        let error = error as? URLError ?? URLError(.unknown)
        downstream.receive(completion: .failure(error))
      }
    }

    func cancel() { end(cancelling: true).task?.cancel() }

    private func end(
      cancelling isCancelled: Bool = false
    ) -> (task: URLSessionDataTask?, downstream: Downstream?) {
      lock.withLock {
        self.isCancelled = self.isCancelled || isCancelled
        parent = nil
        return (task.take(), downstream.take())
      }
    }

    var description: String { "DataTaskPublisher" }

    var _children: [Mirror.Child] {
      lock.withLock {
        [
          ("task", task as Any),
          ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
          ("parent", parent as Any),
          ("demand", demand),
        ]
      }
    }
  }
}
