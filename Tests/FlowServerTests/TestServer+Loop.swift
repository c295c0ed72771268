import FlowServerSupport

@testable import FlowServer

extension TestServer {
  /// Reads what has arrived at the sockets, of which a busy machine tells the loop late.
  func readWhatWaits() { server.perform { $0.loop.readWhatWaits() } }
}
