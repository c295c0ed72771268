import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// Received items that are not shown yet: bounded, and taken at most thirty times a second.
final class ReplInbox: Sendable {
  enum Item: Sendable {
    case value([UInt8], payloadStart: Int)
    case line(String)
    case trace(String, isInput: Bool)
    case ended(RemoteError?)
  }

  private struct State {
    var items: [Item] = []
    var bytes = 0
    /// Whether the loop was told of the items.
    var isAnnounced = false
    /// Whether reading is stopped.
    var isHeld = false
    var conversation: TypedConversation?
    var lastTaken: UInt64 = 0
    var lastCount = 0
    var silence: Silence?
    var isTracing = false
  }

  /// The size in bytes at which reading stops.
  private static let most = 128 * 1024
  /// The most items, and bytes of them, shown between two keys.
  private static let mostAtOnce = 1000
  private static let mostBytesAtOnce = 64 * 1024
  /// More items at once than a person can read.
  private static let flood = 100
  private static let recent: UInt64 = 500_000_000
  /// The overhead of an item, in bytes.
  private static let overhead = 64
  private static let pause: UInt64 = 33_000_000

  private let platform: any Platform
  private let announce: @Sendable () -> Void
  private let state = Mutex(State())

  init(_ platform: any Platform, announce: @escaping @Sendable () -> Void) {
    self.platform = platform
    self.announce = announce
  }

  /// Sets the conversation, whose reading stops while the inbox is full.
  func attach(_ conversation: TypedConversation?) {
    let isHeld = state.withLock { state in
      state.conversation = conversation
      return state.isHeld
    }
    if isHeld { conversation?.holdInput(true) }
  }

  /// Whether lines that go out or come in are shown.
  var isTracing: Bool {
    get { state.withLock { $0.isTracing } }
    set { state.withLock { $0.isTracing = newValue } }
  }

  func add(_ item: Item) {
    let size = Self.overhead + item.bytes
    let now = platform.monotonicNanoseconds
    let (wait, held) = state.withLock { state -> (UInt64?, TypedConversation?) in
      if case .trace = item, !state.isTracing { return (nil, nil) }
      if state.silence?.drops(item) == true { return (nil, nil) }
      state.items.append(item)
      state.bytes += size
      var held: TypedConversation?
      if state.bytes > Self.most, !state.isHeld {
        state.isHeld = true
        held = state.conversation
      }
      guard !state.isAnnounced else { return (nil, held) }
      state.isAnnounced = true
      let due = state.lastTaken &+ Self.pause
      return (due > now ? due - now : 0, held)
    }
    held?.holdInput(true)
    switch wait {
    case nil: break
    case 0?: announce()
    case let wait?: platform.run(after: wait) { [announce] in announce() }
    }
  }

  /// Removes the oldest items, few enough to handle keys soon; announces the rest again.
  func take() -> [Item] {
    let now = platform.monotonicNanoseconds
    let (items, isLeft, held) = state.withLock { state -> ([Item], Bool, TypedConversation?) in
      var (count, bytes) = (0, 0)
      while count < min(state.items.count, Self.mostAtOnce), bytes < Self.mostBytesAtOnce {
        bytes += state.items[count].bytes
        count += 1
      }
      let items = Array(state.items.prefix(count))
      state.items.removeFirst(count)
      state.bytes -= bytes + Self.overhead * count
      state.lastTaken = now
      state.lastCount = count
      state.isAnnounced = !state.items.isEmpty
      guard state.isHeld, state.bytes < Self.most / 2 else {
        return (items, state.isAnnounced, nil)
      }
      state.isHeld = false
      return (items, state.isAnnounced, state.conversation)
    }
    held?.holdInput(false)
    if isLeft { platform.run(after: Self.pause) { [announce] in announce() } }
    return items
  }

  // MARK: Silence

  /// Whether more items wait, or were just shown, than a person can read.
  var isFlooded: Bool {
    let now = platform.monotonicNanoseconds
    return state.withLock { state in
      let last = now &- state.lastTaken < Self.recent ? state.lastCount : 0
      return max(state.items.count, last) > Self.flood
    }
  }

  var isSilenced: Bool { state.withLock { $0.silence != nil } }

  /// Drops waiting and further items that `silence` covers, until it ends.
  func silence(_ silence: Silence) {
    let held = state.withLock { state in
      var silence = silence
      state.items.removeAll { silence.drops($0) }
      state.silence = silence
      state.lastCount = 0
      state.bytes = state.items.reduce(0) { $0 + Self.overhead + $1.bytes }
      guard state.isHeld else { return nil as TypedConversation? }
      state.isHeld = false
      return state.conversation
    }
    held?.holdInput(false)
  }

  /// Ends the silence; returns how many values it hid.
  func endSilence() -> Int {
    state.withLock { state in
      defer { state.silence = nil }
      return state.silence?.values ?? 0
    }
  }
}

extension ReplInbox.Item {
  var bytes: Int {
    switch self {
    case .value(let line, _): line.count
    case .line(let text), .trace(let text, _): text.utf8.count
    case .ended: 0
    }
  }
}
