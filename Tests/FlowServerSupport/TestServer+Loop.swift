package import FlowServer
internal import FlowTestSupport
internal import FlowTransport

extension TestServer {
  /// Reads arrived bytes now; on a busy machine, events of the sockets may come late.
  package func readWhatWaits() { server.perform { $0.loop.readWhatWaits() } }

  /// Waits until `holds` returns true for the engine.
  package func wait(
    for awaited: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line,
    until holds: @escaping @Sendable (Engine) -> Bool
  ) throws {
    try Patience.wait(for: awaited(), file: file, line: line) { server.perform(holds) }
  }
}
