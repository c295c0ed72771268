public import FlowCore

extension FlowRemote {
  /// The values of a subject, a pipeline or an expression, decoded from JSON.
  ///
  /// For `String`, a payload that is not a JSON string is returned unchanged.
  public func publisher<Value: Decodable & SendableMetatype>(
    _ expression: String,
    as type: Value.Type
  ) -> RemotePublisher<Value> {
    unsafe RemotePublisher(remote: self, expression: expression) { payload throws(RemoteError) in
      unsafe try Payload.decode(Value.self, from: payload)
    }
  }

  /// The values of a subject, a pipeline or an expression, decoded by a decoder of bytes such as
  /// `PropertyListDecoder`.
  public func publisher<
    Value: Decodable & SendableMetatype,
    Decoder: TopLevelDecoder & Sendable
  >(
    _ expression: String,
    as type: Value.Type,
    decoder: Decoder
  ) -> RemotePublisher<Value>
  where Decoder.Input: RangeReplaceableCollection, Decoder.Input.Element == UInt8 {
    unsafe RemotePublisher(remote: self, expression: expression) { payload throws(RemoteError) in
      do {
        return unsafe try decoder.decode(Value.self, from: Decoder.Input(payload))
      } catch {
        let reason = Payload.reason(error)
        throw unsafe .undecodable(payload: Payload.shortened(payload), reason: reason)
      }
    }
  }
}
