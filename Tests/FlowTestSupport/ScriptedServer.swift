/// A server whose answers the test writes, with one client at a time.
public final class ScriptedServer {
  public var address: String { "127.0.0.1:\(socket.port)" }
  private let socket: ListeningDescriptor

  public init() throws { socket = try ListeningDescriptor(backlog: 8) }

  /// Waits for a client, greets it and answers its `HELLO`.
  public func greet() throws -> TestClient {
    let client = TestClient(accepted: try socket.accept())
    try client.say("HI flow/0.1.0 proto=1 maxline=65536 maxvalue=1048576 auth=none")
    let hello = try client.line()
    guard hello.hasPrefix("HELLO 1") else { throw TestFailure("expected HELLO 1, found \(hello)") }
    try client.say("OK hello 1")
    return client
  }
}
