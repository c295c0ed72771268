package import FlowTransport

/// A connection as typed in netcat: raw bytes out, lines and values in.
public final class TypedConversation: Sendable {
  /// An event of the conversation, on its queue.
  @safe  // memory 8
  public enum Event {
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
  /// If the server stays silent for 10 s, it fails with `RemoteError.unresponsive`.
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

  /// Connects over `platform`; `patience` is the timeout of connecting, and of the greeting.
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

  /// Connects; calls `done` with the result, on any thread.
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

  /// Sends bytes; calls `taken` on the conversation's queue when more can be sent.
  public func send(_ bytes: [UInt8], taken: @escaping @Sendable () -> Void = {}) {
    link.send(bytes, taken)
  }

  /// Stops or continues reading; while stopped, the server waits once the kernel's buffers are
  /// full.
  package func holdInput(_ isHeld: Bool) { link.holdInput(isHeld) }

  /// Closes the connection; it ends without an error.
  package func close() { link.close() }
}
