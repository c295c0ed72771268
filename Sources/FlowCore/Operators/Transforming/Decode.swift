extension Publisher {
  /// Decodes each value; an error thrown becomes the failure, and the upstream is cancelled.
  ///
  ///     source                                           --"1"--"2"--|
  ///     decode(type: Int.self, decoder: JSONDecoder())   --1----2----|
  ///
  /// Demand passes through.
  @inlinable
  public func decode<Item: Decodable, Coder: TopLevelDecoder>(
    type: Item.Type,
    decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

extension Publishers {
  /// See `decode(type:decoder:)`.
  public struct Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder>: Publisher
  where Upstream.Output == Coder.Input {
    /// The upstream's failure, or what the decoder throws.
    public typealias Failure = any Error

    /// The publisher whose values are decoded.
    public let upstream: Upstream
    @usableFromInline let decode: (Upstream.Output) throws -> Output

    /// Creates a publisher of the values that `decoder` makes of those of `upstream`.
    ///
    /// `decoder` is called once for each value, on the thread that delivers it. If it throws, the
    /// upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      decode = { try decoder.decode(Output.self, from: $0) }
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(throwingThrough: .coding("Decode"), subscriber, ()) { [decode] _, input in
        .emit(try decode(input))
      }
    }
  }
}
