import FlowTransport
import Glibc

/// Reports the server's state to the service manager that started it, such as systemd.
package struct ServiceManager: Sendable {
  /// After how much silence the manager restarts the server, in nanoseconds; nil for never.
  let patience: UInt64?
  private let socket: NoticeSocket

  /// Finds the manager in the environment, if there is one; see `sd_notify(3)`.
  ///
  /// - Throws: why it cannot be reached.
  init?(_ environment: [String: String], process: Int32 = getpid()) throws(TransportError) {
    guard let path = environment["NOTIFY_SOCKET"], !path.isEmpty else { return nil }
    socket = try NoticeSocket(path: path)
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap { UInt64($0) } ?? 0
    let nanoseconds = microseconds.multipliedReportingOverflow(by: 1000)
    let isWanted = isMeant && microseconds > 0 && !nanoseconds.overflow
    patience = isWanted ? nanoseconds.partialValue : nil
  }

  static let variables = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]

  func ready() { socket.send("READY=1") }

  /// Reports that the files are being read again; `ready` ends that.
  func reloading() {
    socket.send("RELOADING=1\nMONOTONIC_USEC=\(SystemPlatform.shared.monotonicNanoseconds / 1000)")
  }

  func stopping() { socket.send("STOPPING=1") }

  func alive() { socket.send("WATCHDOG=1") }
}
