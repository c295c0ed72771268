package import FlowTransport

/// A connection as a person in netcat has it: bytes out, lines and values in, nothing in between.
public final class TypedConversation: Sendable {
  /// An event of the conversation, on its queue.
  @safe  // memory 8
  public enum Event {
    /// A line of the server, without its end.
    case line(String)
    /// A value and the line it came in; both are valid during the call only.
    case value(line: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer)
    /// All events of one read of the socket have been delivered.
    case passed
    /// The connection is gone: by a `BYE`, for another reason, or simply.
    case ended(RemoteError?)
  }

  private let link: TypedLink

  private init(_ link: TypedLink) { self.link = link }

  deinit { link.close() }

  /// Connects to `HOST:PORT` or `unix:PATH`, and says the token if there is one.
  ///
  /// A server that says nothing for 10 s ends it with `RemoteError.unresponsive`.
  public static func connect(
    to address: String,
    token: String? = nil,
    trace: (@Sendable (RemoteTrace) -> Void)? = nil,
    received: @escaping @Sendable (Event) -> Void
  ) async throws(RemoteError) -> TypedConversation {
    try await connect(
      to: address,
      token: token,
      platform: SystemPlatform.shared,
      trace: trace,
      received: received
    )
  }

  /// Connects as above over `platform`, with this `patience` for the server to be there, and then to
  /// say its first word.
  package static func connect(
    to address: String,
    token: String?,
    platform: any Platform,
    patience: Duration = .seconds(10),
    trace: (@Sendable (RemoteTrace) -> Void)?,
    received: @escaping @Sendable (Event) -> Void
  ) async throws(RemoteError) -> TypedConversation {
    try await AwaitedAnswer.wait { done in
      connect(
        to: address,
        token: token,
        platform: platform,
        patience: patience,
        trace: trace,
        received: received,
        done: done
      )
    }
  }

  /// Connects as above; calls `done` with the result, on any thread.
  package static func connect(
    to address: String,
    token: String?,
    platform: any Platform,
    patience: Duration = .seconds(10),
    trace: (@Sendable (RemoteTrace) -> Void)?,
    received: @escaping @Sendable (Event) -> Void,
    done: @escaping @Sendable (Result<TypedConversation, RemoteError>) -> Void
  ) {
    TypedLink.connect(
      to: address,
      platform: platform,
      patience: patience,
      trace: trace,
      received: received
    ) {
      done(
        $0.map { link in
          if let token { link.authorize(token) }
          return TypedConversation(link)
        }
      )
    }
  }

  /// Sends bytes; `taken` is called, on the conversation's queue, when more should be sent.
  public func send(_ bytes: [UInt8], taken: @escaping @Sendable () -> Void = {}) {
    link.send(bytes, taken)
  }

  /// Stops or continues reading; while stopped, the server waits once the kernel's buffers are
  /// full.
  package func holdInput(_ isHeld: Bool) { link.holdInput(isHeld) }

  /// Closes the connection, which ends without an error.
  package func close() { link.close() }
}
