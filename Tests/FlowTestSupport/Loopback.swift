import Synchronization

/// Addresses of this machine that nobody else listens on.
public enum Loopback {
  private static let count = Atomic<UInt16>(0)

  /// Another address each time, with a port that the kernel chooses.
  ///
  /// Connections of 127.0.0.1 and other tests may get a port as soon as it is given up; a server
  /// that comes back finds its port again here.
  public static func address() -> String {
    let number = count.add(1, ordering: .relaxed).newValue
    return "127.1.\(number >> 8).\(number & 255):0"
  }
}
