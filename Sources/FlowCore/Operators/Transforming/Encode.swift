extension Publisher where Output: Encodable {
  /// Encodes each value; an error thrown is the failure, and the upstream is cancelled.
  ///
  ///     source                           --1----2--|
  ///     encode(encoder: JSONEncoder())   --"1"--"2"|
  ///
  /// Demand passes through.
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
    public typealias Output = Coder.Output
    public typealias Failure = any Error

    public let upstream: Upstream
    private let encode: (Upstream.Output) throws -> Coder.Output

    public init(upstream: Upstream, encoder: Coder) {
      self.upstream = upstream
      encode = { try encoder.encode($0) }
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(throwingThrough: .coding("Encode"), subscriber, ()) { [encode] _, input in
        .emit(try encode(input))
      }
    }
  }
}

extension StageName {
  /// A stage that encodes or decodes.
  static func coding(_ text: String) -> StageName {
    StageName(
      text,
      showing: [.downstream, .finished, .upstreamSubscription],
      earlyValue: .passed,
      passesEarlyEnd: true
    )
  }
}
