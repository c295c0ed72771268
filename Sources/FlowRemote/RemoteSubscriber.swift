public import FlowCore
import Synchronization

/// Sends what a publisher gives to a subject of a server, asking for what the subject grants.
///
/// The upstream's completion ends the publication, not the subject; its failure likewise. At most
/// `window` values are asked for ahead of what the socket has taken.
public final class RemoteSubscriber: Subscriber, Cancellable, Sendable {
  public typealias Input = [UInt8]
  public typealias Failure = RemoteError

  private static let window: UInt64 = 256

  private struct State {
    var upstream: (any Subscription)?
    var publication: RemotePublication?
    /// Values asked for and not arrived yet.
    var asked: UInt64 = 0
    /// Values arrived and not sent yet.
    var waiting: [[UInt8]] = []
    var upstreamEnd: Subscribers.Completion<RemoteError>?
    var isEnded = false
  }

  private let remote: Remote
  private let name: String
  private let ended: @Sendable (Subscribers.Completion<RemoteError>) -> Void
  private let lock = Mutex(())
  // Read and written under `lock` only; `any Subscription` keeps it from being the mutex's value.
  private nonisolated(unsafe) var state = State()

  init(
    remote: Remote,
    name: String,
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void
  ) {
    self.remote = remote
    self.name = name
    self.ended = ended
  }

  public func receive(subscription: any Subscription) {
    let isFirst = withState { state in
      guard state.upstream == nil, !state.isEnded else { return false }
      state.upstream = subscription
      return true
    }
    guard isFirst else { return subscription.cancel() }
    let publication = remote.publish(to: name, handler: self)
    withState { $0.publication = publication }
    remote.perform { self.pump() }
  }

  public func receive(_ input: [UInt8]) -> Subscribers.Demand {
    let wasEmpty = withState { state in
      state.asked -= min(state.asked, 1)
      state.waiting.append(input)
      return state.waiting.count == 1
    }
    if wasEmpty { remote.perform { self.pump() } }
    return .none
  }

  public func receive(completion: Subscribers.Completion<RemoteError>) {
    withState { $0.upstreamEnd = completion }
    remote.perform { self.pump() }
  }

  /// Cancels the upstream and ends the publication.
  public func cancel() {
    let upstream = withState { state in
      state.upstreamEnd = state.upstreamEnd ?? .finished
      state.waiting = []
      return state.upstream
    }
    upstream?.cancel()
    remote.perform { self.pump() }
  }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    lock.withLock { _ in body(&state) }
  }

  // MARK: On the connection's queue

  /// Sends what waits, then asks for as much as could be sent at once, or ends.
  private func pump() {
    guard let publication = withState({ $0.publication }) else { return }
    while !publication.isFull, let value = withState({ $0.waiting.first }) {
      guard value.withUnsafeBytes(publication.send) else { break }
      withState { if !$0.waiting.isEmpty { $0.waiting.removeFirst() } }
    }
    let room = publication.isFull ? 0 : min(publication.room, Self.window)
    let (upstream, more, end) = withState { state in
      let promised = state.asked + UInt64(state.waiting.count)
      let more = state.upstreamEnd == nil && room > promised ? room - promised : 0
      state.asked += more
      let isThrough = state.waiting.isEmpty && !state.isEnded
      let end = isThrough ? state.upstreamEnd : nil
      if end != nil { state.isEnded = true }
      return (state.upstream, more, end)
    }
    if more > 0 { upstream?.request(.max(Int(more))) }
    if let end { finish(publication, end) }
  }

  private func finish(
    _ publication: RemotePublication,
    _ end: Subscribers.Completion<RemoteError>
  ) {
    publication.finish { [ended] answer in
      switch answer {
      case .success: ended(end)
      case .failure(let error): ended(.failure(error))
      }
    }
  }
}

extension RemoteSubscriber: RemotePublicationHandler {
  public func publicationMayContinue(_ p: RemotePublication) {
    pump()
  }

  public func publication(_ p: RemotePublication, ended error: RemoteError) {
    let upstream = withState { state -> (any Subscription)? in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      state.waiting = []
      return state.upstream
    }
    guard let upstream else { return }
    upstream.cancel()
    ended(.failure(error))
  }
}
