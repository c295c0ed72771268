import Dispatch
import FlowCore

/// The values that a `RemoteOutlet` holds between the sending threads and the connection's queue.
///
/// A transition calls nobody; it returns what to do next.
struct OutletInbox {
  /// The command to send behind the last value.
  enum End {
    /// The publication ends.
    case publication(@Sendable (Result<Void, RemoteError>) -> Void)
    /// The server's subject completes.
    case subject(Subscribers.Completion<RemoteError>)
    /// The publication ends, for a reason that lies here.
    case broken(RemoteError)

    func complete(_ result: Result<Void, RemoteError>) {
      if case .publication(let done) = self { done(result) }
    }
  }

  enum Addition {
    case done
    /// The queue is to be told.
    case pump
    /// Try again after this.
    case wait(DispatchSemaphore)
  }

  private enum Phase {
    case open
    case closing(End)
    /// The end is on its way to the server.
    case closed
    case ended(RemoteError)
  }

  private static let mostValues = 16_384
  private static let mostBytes = 4 << 20

  private(set) var missed: UInt64 = 0
  private var phase = Phase.open
  private var values: [[UInt8]] = []
  private var bytes = 0
  /// The size of the largest value that came.
  private var largest = 1
  private var waiting: [DispatchSemaphore] = []
  private var upstream: (any Subscription)?
  /// Values asked of it and not arrived yet.
  private var asked = 0

  private var isFull: Bool { values.count >= Self.mostValues || bytes >= Self.mostBytes }

  mutating func add(_ payload: [UInt8], mayWait: Bool) -> Addition {
    guard case .open = phase else { return .done }
    // What was asked for is taken, however large it is.
    if isFull, asked == 0 {
      guard mayWait else {
        missed += 1
        return .done
      }
      let room = DispatchSemaphore(value: 0)
      waiting.append(room)
      return .wait(room)
    }
    asked -= min(asked, 1)
    values.append(payload)
    bytes += payload.count
    largest = max(largest, payload.count)
    return values.count == 1 ? .pump : .done
  }

  /// - Returns: why not, if it is closed already.
  mutating func close(_ end: End) -> RemoteError? {
    switch phase {
    case .open:
      phase = .closing(end)
      upstream = nil
      return nil
    case .closing, .closed: return .closed
    case .ended(let error): return error
    }
  }

  mutating func attach(_ new: any Subscription) -> (isTaken: Bool, before: (any Subscription)?) {
    guard case .open = phase else { return (false, nil) }
    let before = upstream
    upstream = new
    asked = 0
    return (true, before)
  }

  mutating func detach() -> (any Subscription)? {
    defer { upstream = nil }
    return upstream
  }

  /// Ends without a word to the server; `nil` if it had ended before.
  ///
  /// `unsent` values were out of the inbox.
  mutating func end(
    _ error: RemoteError,
    unsent: Int
  ) -> (upstream: (any Subscription)?, end: End?)? {
    var end: End?
    switch phase {
    case .open: break
    case .closing(let planned): end = planned
    case .closed, .ended: return nil
    }
    phase = .ended(error)
    missed += UInt64(values.count + unsent)
    values = []
    bytes = 0
    for room in waiting { room.signal() }
    waiting = []
    return (detach(), end)
  }

  var isEnded: Bool {
    if case .ended = phase { true } else { false }
  }

  // MARK: For the queue

  /// Whether there is anything for a publication to do.
  var needsPublication: Bool {
    switch phase {
    case .open: upstream != nil || !values.isEmpty
    case .closing: !values.isEmpty
    case .closed, .ended: false
    }
  }

  /// Moves all values into `batch`, which is empty.
  ///
  /// - Returns: those who wait for room.
  mutating func take(_ batch: inout [[UInt8]]) -> [DispatchSemaphore] {
    swap(&values, &batch)
    bytes = 0
    defer { waiting = [] }
    return waiting
  }

  /// Returns the demand for the publisher, if there is room for `room` values and `unsent` have
  /// left the inbox.
  mutating func ask(room: UInt64, unsent: UInt64) -> (upstream: (any Subscription)?, more: Int) {
    guard case .open = phase, let upstream else { return (nil, 0) }
    let room = min(room, UInt64(max(1, Self.mostBytes / largest)))
    let promised = UInt64(asked + values.count) + unsent
    guard room > promised else { return (upstream, 0) }
    let more = Int(room - promised)
    asked += more
    return (upstream, more)
  }

  /// The end, once, when nothing is before it.
  mutating func takeEnd() -> End? {
    guard case .closing(let end) = phase, values.isEmpty else { return nil }
    phase = .closed
    return end
  }
}
