import Dispatch
import FlowCore
import FlowTransport
import FlowWire

/// A publication with an inbox, and optionally a publisher that fills it.
///
/// Any thread adds to the `inbox`; the connection's queue empties it. The publisher is asked for no
/// more than is granted, less the values here or already requested.
final class RemoteOutlet: @unchecked Sendable {  // see the two kinds of variables
  /// The most values requested ahead of those that the socket has taken.
  private static let window: UInt64 = 256

  private let remote: FlowRemote
  private let name: String
  private let grant: Int?
  private let ended: @Sendable (Subscribers.Completion<RemoteError>) -> Void

  private let lock = Lock()
  // Read and written under `lock` only.
  // memory 6
  private nonisolated(unsafe) var inbox = OutletInbox()

  // These belong to the connection's queue.
  private var publication: RemotePublication?
  private var batch: [[UInt8]] = []
  private var sentOfBatch = 0
  private var isAsking = false
  private var shouldAskAgain = false

  init(
    remote: FlowRemote,
    name: String,
    grant: Int?,
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void
  ) {
    self.remote = remote
    self.name = name
    self.grant = grant
    self.ended = ended
  }

  var missed: UInt64 { withInbox { $0.missed } }

  func send<Value>(_ value: Value, _ encode: (Value) throws(RemoteError) -> [UInt8]) {
    do throws(RemoteError) {
      send(try remote.link.fitting(encode(value)))
    } catch {
      detach()
      close(.broken(error))
    }
  }

  private func send(_ payload: [UInt8]) {
    let mayWait = !remote.link.isCurrent
    while true {
      switch withInbox({ $0.add(payload, mayWait: mayWait) }) {
      case .done: return
      case .pump: return schedule()
      case .wait(let room): _ = remote.link.settings.platform.wait(for: room, atMost: nil)
      }
    }
  }

  /// Completes the subject after the values in the inbox.
  func complete(_ completion: Subscribers.Completion<RemoteError>) {
    close(.subject(completion))
  }

  /// Ends the publication after the values in the inbox.
  func finish(_ done: @escaping @Sendable (Result<Void, RemoteError>) -> Void) {
    close(.publication(done))
  }

  private func close(_ end: OutletInbox.End) {
    let refusal = withInbox { $0.close(end) }
    if let refusal { end.complete(.failure(refusal)) } else { schedule() }
  }

  /// Attaches a publisher; the previous one gets no more requests.
  func attach(_ upstream: any Subscription) {
    let (isTaken, before) = withInbox { $0.attach(upstream) }
    guard isTaken else { return upstream.cancel() }
    withExtendedLifetime(before) {}
    schedule()
  }

  func detach() {
    withInbox { $0.detach() }?.cancel()
  }

  private func withInbox<R>(_ body: (inout OutletInbox) -> R) -> R {
    lock.withLock { unsafe body(&inbox) }
  }

  private func schedule() {
    remote.perform { self.pump() }
  }

  // MARK: On the connection's queue

  /// Sends waiting values, then requests more or ends.
  private func pump() {
    if publication == nil {
      guard withInbox({ $0.needsPublication }) else { return endIfThrough() }
      // The publication may end at once.
      let opened = remote.publish(to: name, grant: grant, handler: self)
      if withInbox({ $0.isEnded }) { return }
      publication = opened
    }
    guard let publication else { return }
    repeat {
      if sentOfBatch == batch.count { takeBatch() }
      while sentOfBatch < batch.count, !publication.isFull {
        guard unsafe batch[sentOfBatch].withUnsafeBytes(publication.send) else { break }
        sentOfBatch += 1
      }
    } while sentOfBatch == batch.count && !batch.isEmpty
    ask(publication)
    endIfThrough()
  }

  /// Swaps the batch that was sent for the inbox.
  private func takeBatch() {
    batch.removeAll(keepingCapacity: true)
    sentOfBatch = 0
    for room in withInbox({ $0.take(&batch) }) { room.signal() }
  }

  /// Requests values; those that arrive at once return here through `pump`.
  private func ask(_ publication: RemotePublication) {
    shouldAskAgain = isAsking
    guard !isAsking else { return }
    isAsking = true
    defer {
      isAsking = false
      if shouldAskAgain { remote.link.loop.post { self.pump() } }
    }
    let unsent = UInt64(batch.count - sentOfBatch)
    let window = max(Self.window, UInt64(clamping: grant ?? 0))
    let room = publication.isFull ? 0 : min(publication.room, window)
    let (upstream, more) = withInbox { $0.ask(room: room, unsent: unsent) }
    if more > 0 { upstream?.request(.max(more)) }
  }

  private func endIfThrough() {
    guard sentOfBatch == batch.count, let end = withInbox({ $0.takeEnd() }) else { return }
    guard let publication else {
      // No value was sent, so there is no publication to finish.
      if case .publication(let done) = end { return done(.success(())) }
      return conclude(end)
    }
    publication.finish { answer in
      switch answer {
      case .success: self.conclude(end)
      case .failure(let error): self.settle(end, .failure(error))
      }
    }
  }

  /// Ends after all values were sent.
  private func conclude(_ end: OutletInbox.End) {
    switch end {
    case .publication: settle(end, .success(()))
    case .broken(let error): settle(end, .failure(error))
    case .subject(.finished): command(.done(.name(name)), then: end)
    case .subject(.failure(let error)):
      command(remote.link.failure(of: .name(name), error), then: end)
    }
  }

  private func command(_ command: Command, then end: OutletInbox.End) {
    remote.command(command) { self.settle(end, $0.map { _ in }) }
  }

  private func settle(_ end: OutletInbox.End, _ result: Result<Void, RemoteError>) {
    publication = nil
    end.complete(result)
    switch result {
    case .success: ended(.finished)
    case .failure(let error): ended(.failure(error))
    }
  }
}

extension RemoteOutlet: RemotePublicationHandler {
  func publicationMayContinue(_ p: RemotePublication) { pump() }

  func publication(_ p: RemotePublication, ended error: RemoteError) {
    publication = nil
    let unsent = batch.count - sentOfBatch
    batch = []
    sentOfBatch = 0
    guard let (upstream, end) = withInbox({ $0.end(error, unsent: unsent) }) else { return }
    upstream?.cancel()
    end?.complete(.failure(error))
    self.ended(.failure(error))
  }
}
