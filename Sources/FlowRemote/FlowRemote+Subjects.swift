public import FlowCore

extension FlowRemote {
  /// A subject of the server, whose values are bytes.
  ///
  /// `grant` is how many values the server may let it run ahead of the slowest subscriber, from 1 to
  /// 65,536; 64 if left out; any other number the server refuses with `usage`. `ended` is told, on the
  /// connection's queue, when all has been taken by the server, or why it was not: once for the
  /// object, and once for each publisher.
  public func subject(
    _ name: String,
    grant: Int? = nil,
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void = { _ in }
  ) -> RemoteSubject<[UInt8]> {
    RemoteSubject(
      remote: self,
      name: name,
      grant: grant,
      publisher: publisher(name),
      encode: { $0 },
      ended: ended
    )
  }

  /// A subject of the server, whose values are written and read as JSON.
  ///
  /// For `grant` and `ended` see `subject(_:grant:ended:)`.
  public func subject<Value: Codable & SendableMetatype>(
    _ name: String,
    as type: Value.Type,
    grant: Int? = nil,
    ended: @escaping @Sendable (Subscribers.Completion<RemoteError>) -> Void = { _ in }
  ) -> RemoteSubject<Value> {
    RemoteSubject(
      remote: self,
      name: name,
      grant: grant,
      publisher: publisher(name, as: type),
      encode: { value throws(RemoteError) in try Payload.encode(value) },
      ended: ended
    )
  }
}
