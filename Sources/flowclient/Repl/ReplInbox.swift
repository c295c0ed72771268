import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// What came on the connection and was not shown yet: bounded, and taken at most thirty times a second.
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
    /// Whether somebody was told that something is there.
    var isAnnounced = false
    /// Whether no more is read.
    var isHeld = false
    var conversation: TypedConversation?
    var lastTaken: UInt64 = 0
  }

  /// With so many bytes, no more is read until they are taken.
  private static let most = 128 * 1024
  /// The most items that are shown between two keys.
  private static let mostAtOnce = 1000
  /// What an item takes besides its text.
  private static let overhead = 64
  private static let pause: UInt64 = 33_000_000

  private let platform: any Platform
  private let announce: @Sendable () -> Void
  private let state = Mutex(State())

  init(_ platform: any Platform, announce: @escaping @Sendable () -> Void) {
    self.platform = platform
    self.announce = announce
  }

  /// Whose reading stops when it is full.
  func attach(_ conversation: TypedConversation?) {
    let isHeld = state.withLock { state in
      state.conversation = conversation
      return state.isHeld
    }
    if isHeld { conversation?.holdInput(true) }
  }

  func add(_ item: Item) {
    let size = Self.overhead + item.bytes
    let now = platform.monotonicNanoseconds
    let (wait, held) = state.withLock { state -> (UInt64?, TypedConversation?) in
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

  /// What came first, so much that keys need not wait for long; the rest is announced again.
  func take() -> [Item] {
    let now = platform.monotonicNanoseconds
    let (items, isLeft, held) = state.withLock { state -> ([Item], Bool, TypedConversation?) in
      let items = Array(state.items.prefix(Self.mostAtOnce))
      state.items.removeFirst(items.count)
      state.bytes -= items.reduce(0) { $0 + Self.overhead + $1.bytes }
      state.lastTaken = now
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
