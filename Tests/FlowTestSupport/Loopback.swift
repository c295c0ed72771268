internal import Glibc
import Synchronization

/// Loopback addresses, a new one for each server of a test.
public enum Loopback {
  private static let count = Atomic<UInt16>(0)
  /// Another number in each process, since several may run tests at one time.
  private static let network = 1 + getpid() % 254

  /// Returns a new address each time, with port 0, for which the kernel chooses a port.
  ///
  /// A restarted server gets its port again here. At 127.0.0.1 a connection or another test may
  /// have taken the port meanwhile.
  public static func address() -> String {
    let number = count.add(1, ordering: .relaxed).newValue
    return "127.\(network).\(number >> 8).\(number & 255):0"
  }
}
