internal import Dispatch
public import FlowCore
internal import Synchronization

/// Frees what was kept and is no longer wanted, on a thread of its own: 64 MiB of small values take a
/// quarter of a second.
public enum Disposal {
  private static let queue = DispatchQueue(label: "flow.disposal", qos: .utility)
  private static let waiting = Atomic<Int>(0)
  private static let group = DispatchGroup()

  /// What goes to the other thread.
  private final class Load: @unchecked Sendable {  // nobody else uses it any more
    var values: Any?

    init(_ values: Any) { self.values = values }
  }

  /// Whether there is something that has not been freed yet; any thread may ask.
  public static var isBusy: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Waits for it so many nanoseconds at most: whether all has been freed.
  public static func finishes(within nanoseconds: Int64) -> Bool {
    group.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds))) == .success
  }

  /// Takes over what holds many values, which may be freed on any thread.
  public static func take(_ values: Any) {
    waiting.add(1, ordering: .relaxed)
    let load = Load(values)
    queue.async(group: group) {
      load.values = nil
      waiting.subtract(1, ordering: .relaxed)
    }
  }
}

extension Value {
  /// Whether it is made of so many values that to write it, or to free it, takes long.
  public var isLarge: Bool {
    switch self {
    case .array, .object: footprint > 16 << 10
    default: false
    }
  }

  /// Lets go of it: elsewhere, if there is much to free.
  public consuming func letGo() { if isLarge { Disposal.take(self) } }
}

extension Value: _Disposable {
  public static func _dispose(_ values: Any) { Disposal.take(values) }
}
