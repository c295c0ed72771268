import FlowTransport
import Glibc

/// The manager of services that has started the server, which systemd is: it is told how things are.
package struct ServiceManager: Sendable {
  /// How long it waits for a sign of life before it starts the server anew, in nanoseconds; nil if
  /// it does not.
  let patience: UInt64?
  private let socket: NoticeSocket

  /// The manager that the environment names, if it names one: see `sd_notify(3)`.
  ///
  /// - Throws: why it cannot be told anything.
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

  /// The server serves.
  func ready() { socket.send("READY=1") }

  /// It reads its files again, from now until it is ready.
  func reloading() {
    socket.send("RELOADING=1\nMONOTONIC_USEC=\(SystemPlatform.shared.monotonicNanoseconds / 1000)")
  }

  /// It goes away.
  func stopping() { socket.send("STOPPING=1") }

  /// It is alive.
  func alive() { socket.send("WATCHDOG=1") }
}
