package import Dispatch
import FlowCore

/// Frees what was kept and is no longer wanted, on a thread of its own: 64 MiB of small values take a
/// quarter of a second.
public enum Disposal {
  private static let queue = DispatchQueue(label: "flow.disposal", qos: .utility)
  /// What is still to be freed.
  package static let group = DispatchGroup()

  /// What goes to the other thread.
  private final class Load: @unchecked Sendable {  // nobody else uses it any more
    var values: Any?

    init(_ values: Any) { self.values = values }
  }

  /// Takes over what holds many values, which may be freed on any thread.
  public static func take(_ values: Any) {
    let load = Load(values)
    queue.async(group: group) { load.values = nil }
  }
}

extension Disposal {
  /// To free less is as quick as to hand it on.
  fileprivate static let least = 16 << 10

  /// Takes over what holds values of so many bytes; if that is little, they go with whoever has them.
  public static func take(_ values: Any, bytes: Int) { if bytes > least { take(values) } }
}

extension Value {
  /// Whether it is made of so many values that to write it, or to free it, takes long.
  public var isLarge: Bool {
    switch self {
    case .array, .object: footprint > Disposal.least
    default: false
    }
  }

  /// How many steps of a `TimeSlice` it takes to send it, if it is large.
  public var stepsToSend: Int { Price.sending(self) }

  /// Lets go of it: elsewhere, if there is much to free.
  public consuming func letGo() { if isLarge { Disposal.take(self) } }
}

extension Value: Disposable {
  package static func dispose(_ values: Any) { Disposal.take(values) }
}
