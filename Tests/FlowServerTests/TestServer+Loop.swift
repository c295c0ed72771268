import FlowServerSupport
import FlowTestSupport
import FlowTransport

@testable import FlowServer

extension TestServer {
  /// Reads what has arrived at the sockets, of which a busy machine tells the loop late.
  func readWhatWaits() { server.perform { $0.loop.readWhatWaits() } }

  /// Waits until `holds` returns true of the engine.
  func wait(
    for awaited: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line,
    until holds: @escaping @Sendable (Engine) -> Bool
  ) throws {
    try Patience.wait(for: awaited(), file: file, line: line) { server.perform(holds) }
  }
}
