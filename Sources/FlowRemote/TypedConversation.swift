package import FlowTransport

/// A connection as typed in netcat: raw bytes out, lines and values in.
package final class TypedConversation: Sendable {
  /// An event of the conversation, on its queue.
  @safe  // memory 8
  package enum Event {
    /// A line of the server, without its end.
    case line(String)
    /// A value and its line; both are valid during the call only.
    case value(line: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer)
    /// All events of one read of the socket were delivered.
    case passed
    /// The connection ended, with the error if there was one.
    case ended(RemoteError?)
  }

  private let link: TypedLink

  private init(_ link: TypedLink) { self.link = link }

  deinit { link.close() }

  /// Connects to `HOST:PORT` or `unix:PATH`, and sends the token if there is one.
  ///
  /// `patience` is the timeout of connecting, and of the greeting.
  package static func connect(
    to address: String,
    token: String? = nil,
    platform: any Platform = SystemPlatform.shared,
    patience: Duration = .seconds(10),
    trace: (@Sendable (RemoteTrace) -> Void)? = nil,
    received: @escaping @Sendable (Event) -> Void
  ) async throws(RemoteError) -> TypedConversation {
    try await AwaitedAnswer.wait { done in
      platform.run(after: 0) {
        let socket = platform.dial(address, patience: patience)
        done(
          socket.map { socket in
            let link = TypedLink(platform, trace: trace, received: received)
            link.begin(socket, patience)
            if let token { link.authorize(token) }
            return TypedConversation(link)
          }
        )
      }
    }
  }

  /// Sends bytes; calls `taken` on the conversation's queue when more can be sent.
  package func send(_ bytes: [UInt8], taken: @escaping @Sendable () -> Void = {}) {
    link.send(bytes, taken)
  }

  /// Stops or continues reading; while stopped, the server waits once the kernel's buffers are
  /// full.
  package func holdInput(_ isHeld: Bool) { link.holdInput(isHeld) }

  /// Closes the connection; it ends without an error.
  package func close() { link.close() }
}
