internal import FlowSubjects

/// The source of a stream's values.
enum StreamSource {
  case none
  case subject(StreamOutlet)
  case pipeline(PipelineSubscriber, RunningContext)

  var outlet: StreamOutlet? { if case .subject(let outlet) = self { outlet } else { nil } }

  var subscriber: PipelineSubscriber? {
    if case .pipeline(let subscriber, _) = self { subscriber } else { nil }
  }

  var context: RunningContext? { if case .pipeline(_, let context) = self { context } else { nil } }

  /// All names that it reads; nil for none.
  var names: [String]? {
    switch self {
    case .none: nil
    case .subject(let outlet): outlet.home.map { [$0.name] + $0.failureOrigins } ?? []
    case .pipeline(_, let context): context.mentions
    }
  }

  func request(_ count: Int) {
    switch self {
    case .none: break
    case .subject(let outlet): outlet.allow(count)
    case .pipeline(let subscriber, _): subscriber.request(count)
    }
  }

  /// - Parameter readsAll: the stream's last `readsAll`.
  func stop(_ readsAll: Bool) {
    switch self {
    case .none: break
    case .subject(let outlet): outlet.leave()
    case .pipeline(let subscriber, let context):
      subscriber.cancel()
      context.leave(readsAll)
    }
  }
}
