import CLinux
import Glibc

/// The probes by which the kernel detects a vanished peer; times are in seconds.
package struct KeepAlive: Sendable {
  /// The time without input before the first probe.
  package var idle: Int32
  package var interval: Int32
  /// The number of unanswered probes after which the peer counts as gone.
  package var probes: Int32

  /// The default: a peer counts as gone after two minutes.
  package static let usual = KeepAlive(idle: 60, interval: 15, probes: 4)

  static func isUnanswered(_ information: tcp_info, forSeconds seconds: UInt32) -> Bool {
    // Each answer resets the counts. The kernel probes a closed window at least every two minutes, so
    // one open probe proves nothing yet.
    information.tcpi_last_ack_recv / 1000 >= seconds
      && (information.tcpi_retransmits > 2 || information.tcpi_probes > 1)
  }
}

extension Connection {
  /// Detects a vanished silent peer within a few times `seconds`; over TCP only.
  public func setKeepAlive(seconds: Int32) {
    let keepAlive = KeepAlive(idle: seconds, interval: seconds, probes: 3)
    turnState.platform.set(descriptor, keepAlive)
  }

  /// Whether the peer has not answered for that many seconds, though the kernel keeps asking.
  ///
  /// Keep-alive works only while no output waits; otherwise the kernel gives up after a quarter of
  /// an hour. `TCP_USER_TIMEOUT` is no substitute: since Linux 5.11 it also ends peers whose window
  /// stays closed, and slow readers must not be cut off.
  public func isUnanswered(forSeconds seconds: UInt32) -> Bool {
    turnState.platform.isUnanswered(descriptor, forSeconds: seconds)
  }
}
