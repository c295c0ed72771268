/// A server that says what a test has it say, to one client after the other.
public final class ScriptedServer {
  public var address: String { "127.0.0.1:\(socket.port)" }
  private let socket: ListeningDescriptor

  public init() throws { socket = try ListeningDescriptor(backlog: 8) }

  /// Takes a client, greets it and answers its `HELLO`; waits with patience.
  public func greet() throws -> TestClient {
    let client = TestClient(accepted: try socket.accept())
    try client.say("HI flow/0.1.0 proto=1 maxline=65536 maxvalue=1048576 auth=none")
    let hello = try client.line()
    guard hello.hasPrefix("HELLO 1") else { throw TestFailure("it said \(hello)") }
    try client.say("OK hello 1")
    return client
  }
}
