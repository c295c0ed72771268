import Testing

@testable import FlowServer

@Suite("The login to NATS")
struct NATSCredentialsTests {
  @Test(
    "the secret is the rest of the line, with its blanks",
    arguments: [
      ("user flow pass word ", NATSCredentials.user("flow", password: "pass word ")),
      ("# x\n\n \tuser\tflow  a  b\r\n", .user("flow", password: "a  b")),
      ("token a b\n", .token("a b")),
    ]
  )
  func secrets(_ text: String, _ login: NATSCredentials) throws {
    #expect(try NATSCredentials(in: text, file: "login") == login)
  }

  @Test(
    "anything else is refused",
    arguments: ["", "user flow", "user flow ", "token", "token ", "key x", "token a\ntoken b"]
  )
  func refused(_ text: String) {
    #expect(throws: ConfigurationError.self) { try NATSCredentials(in: text, file: "login") }
  }
}
