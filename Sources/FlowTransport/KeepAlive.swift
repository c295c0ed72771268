import CLinux
import Glibc

/// The probes with which the kernel detects a vanished peer; times in seconds.
package struct KeepAlive: Sendable {
  /// The time without input before the first probe.
  package var idle: Int32
  /// The time between probes.
  package var interval: Int32
  /// The number of probes without an answer after which the peer is gone.
  package var probes: Int32

  /// The default: a peer is gone after two minutes.
  package static let usual = KeepAlive(idle: 60, interval: 15, probes: 4)

  static func isUnanswered(_ information: tcp_info, forSeconds seconds: UInt32) -> Bool {
    // Each answer puts the counts back to 0. Who has closed his window is asked every two minutes at
    // the least, and answers; so one question that is open says nothing yet.
    information.tcpi_last_ack_recv / 1000 >= seconds
      && (information.tcpi_retransmits > 2 || information.tcpi_probes > 1)
  }
}

extension Connection {
  /// Finds out within a few times `seconds` that a silent peer has vanished; over TCP only.
  public func setKeepAlive(seconds: Int32) {
    let keepAlive = KeepAlive(idle: seconds, interval: seconds, probes: 3)
    turnState.platform.set(descriptor, keepAlive)
  }

  /// Whether the peer has not answered for that many seconds, though the kernel keeps asking.
  ///
  /// Keep-alive finds out who has vanished only while there is nothing to send. Where something is,
  /// the kernel gives up after a quarter of an hour. `TCP_USER_TIMEOUT` would shorten that, but ends
  /// as well those who are there and read nothing (since Linux 5.11, by the time for which their
  /// window was closed); and whoever reads slowly is not to be cut off.
  public func isUnanswered(forSeconds seconds: UInt32) -> Bool {
    turnState.platform.isUnanswered(descriptor, forSeconds: seconds)
  }
}
