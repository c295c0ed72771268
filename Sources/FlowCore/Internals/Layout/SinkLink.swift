public import Synchronization

/// What an `AnyCancellable` knows of the subscription it cancels: nothing yet, the subscription, or
/// that it is over.
@frozen
@usableFromInline
struct _CancellableWord: ~Copyable, Sendable {
  /// 0, a retained object's address, or 1.
  private let bits: Atomic<UInt>

  /// What a word held when it was ended.
  struct Content {
    let subscription: _ControlSubscription?
  }

  @usableFromInline
  init() { bits = Atomic(0) }

  init(_ subscription: _ControlSubscription) {
    // memory 9
    bits = unsafe Atomic(UInt(bitPattern: Unmanaged.passRetained(subscription).toOpaque()))
  }

  /// Keeps a subscription if there is none yet; says whether it did.
  func keep(_ subscription: _ControlSubscription) -> Bool {
    let reference = unsafe Unmanaged.passRetained(subscription)
    let (isKept, _) = unsafe bits.compareExchange(
      expected: 0,
      desired: UInt(bitPattern: reference.toOpaque()),
      ordering: .acquiringAndReleasing
    )
    if !isKept { unsafe reference.release() }
    return isKept
  }

  /// Ends it, the first time.
  func end() -> Content? {
    if bits.load(ordering: .relaxed) == 1 { return nil }
    let old = bits.exchange(1, ordering: .acquiringAndReleasing)
    if old == 1 { return nil }
    let object = unsafe UnsafeRawPointer(bitPattern: old).map {
      unsafe Unmanaged<_ControlSubscription>.fromOpaque($0).takeRetainedValue()
    }
    return Content(subscription: object)
  }
}

/// The way from what `sink` subscribes to what it returned, which it does not keep alive.
///
/// The unowned reference keeps the memory, not the object; the word in it stays readable, and says
/// that it is over once the object is gone.
@frozen
@usableFromInline
struct _SinkLink {
  private unowned let owner: AnyCancellable

  @usableFromInline
  init(_ owner: AnyCancellable) { self.owner = owner }

  var address: UnsafeRawPointer {
    // An unowned reference is its object's address. Asking for the object traps when it is gone.
    // memory 7
    unsafe unsafeBitCast(self, to: UnsafeRawPointer.self)
  }

  private var word: UnsafePointer<_CancellableWord> {
    // The first stored property follows the two words of an object's header.
    unsafe (address + 2 * MemoryLayout<UInt>.size).assumingMemoryBound(to: _CancellableWord.self)
  }

  @inlinable @inline(__always)
  func start(_ subscription: any Subscription) {
    start(subscription._asControlSubscription ?? box(subscription))
  }

  @usableFromInline
  func start(_ subscription: _ControlSubscription) {
    if unsafe word.pointee.keep(subscription) {
      subscription.request(.unlimited)
    } else {
      subscription.cancel()
    }
  }

  @usableFromInline
  func box(_ subscription: any Subscription) -> _ControlSubscription {
    BoxedSubscription(subscription)
  }

  /// Lets the subscription go; true the first time.
  @usableFromInline
  func end() -> Bool { unsafe word.pointee.end() != nil }
}

/// A subscription of another kind.
private final class BoxedSubscription: _ControlSubscription {
  let subscription: any Subscription

  init(_ subscription: any Subscription) {
    self.subscription = subscription
    super.init { object, count in
      let subscription = unsafe unsafeDowncast(object, to: BoxedSubscription.self).subscription
      if count < 0 { subscription.cancel() } else { subscription.request(.init(_count: count)) }
    }
  }
}
