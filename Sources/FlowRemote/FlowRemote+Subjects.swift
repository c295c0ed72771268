public import FlowCore

extension FlowRemote {
  /// A subject of the server, whose values are bytes.
  ///
  /// `grant` is how many values it may run ahead of the slowest subscriber, from 1 to 65,536, 64 by
  /// default; the server refuses others with `usage`. `ended` is called on the connection's queue
  /// when the server has taken all values, or with the reason why not: once for the object, and
  /// once for each publisher.
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

  /// A subject of the server, whose values are encoded as JSON.
  ///
  /// See `subject(_:grant:ended:)`.
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
