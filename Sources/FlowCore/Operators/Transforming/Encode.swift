extension Publisher where Output: Encodable {
  /// Encodes each value; an error thrown becomes the failure, and the upstream is cancelled.
  ///
  ///     source                           --1----2--|
  ///     encode(encoder: JSONEncoder())   --"1"--"2"|
  ///
  /// Demand passes through.
  @inlinable
  public func encode<Coder: TopLevelEncoder>(
    encoder: Coder
  ) -> Publishers.Encode<Self, Coder> {
    Publishers.Encode(upstream: self, encoder: encoder)
  }
}

extension Publishers {
  /// See `encode(encoder:)`.
  public struct Encode<Upstream: Publisher, Coder: TopLevelEncoder>: Publisher
  where Upstream.Output: Encodable {
    /// What the encoder makes, such as `Data`.
    public typealias Output = Coder.Output
    /// The upstream's failure, or what the encoder throws.
    public typealias Failure = any Error

    /// The publisher whose values are encoded.
    public let upstream: Upstream
    @usableFromInline let encode: (Upstream.Output) throws -> Coder.Output

    /// Creates a publisher of the values of `upstream` in the form that `encoder` gives them.
    ///
    /// `encoder` is called once for each value, on the thread that delivers it. If it throws, the
    /// upstream is cancelled and the error is published.
    @inlinable
    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      encode = { try encoder.encode($0) }
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(throwingThrough: .coding("Encode"), subscriber, ()) { [encode] _, input in
        .emit(try encode(input))
      }
    }
  }
}

extension StageName {
  /// A stage that encodes or decodes.
  @inlinable
  static func coding(_ text: String) -> StageName {
    StageName(
      text,
      showing: [.downstream, .finished, .upstreamSubscription],
      earlyValue: .passed,
      passesEarlyEnd: true
    )
  }
}
