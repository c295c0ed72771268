public import FlowCore

extension FlowRemote {
  /// Answers the calls of `ask(name, …)` with publishers, at most `jobs` at a time.
  ///
  ///     let service = remote.serve("resize", taking: Image.self, jobs: 3) { image in
  ///       resized(image)   // a publisher of Encodable values
  ///     }
  ///
  /// `answer` is called on the connection's queue, which it must not block; the publisher may
  /// signal on any thread. Its demand is the pipeline's, and its end ends the call and makes room
  /// for another. When the pipeline cancels the call, or the connection is lost, the publisher is
  /// cancelled.
  ///
  /// A call fails with `undecodable` if its argument has another type, with `unencodable` or
  /// `value-too-long` if a value cannot be encoded or exceeds `largestValue`, and with the code and
  /// shortened text of a `RemoteError` from the publisher. Other errors, and codes that are not
  /// words, become `upstream`.
  ///
  /// `ended` is called on the connection's queue when the service ends for another reason than
  /// being cancelled here.
  ///
  /// - Returns: the service, which ends when it is cancelled or released.
  public func serve<Argument: Decodable & SendableMetatype, Answer: Publisher & SendableMetatype>(
    _ name: String,
    taking type: Argument.Type,
    jobs: Int = 1,
    ended: @escaping @Sendable (RemoteError) -> Void = { _ in },
    _ answer: @escaping @Sendable (Argument) -> Answer
  ) -> AnyCancellable where Answer.Output: Encodable & SendableMetatype {
    unsafe open(
      name,
      jobs: jobs,
      ended: ended,
      decode: { payload throws(RemoteError) in
        unsafe try Payload.decode(Argument.self, from: payload)
      },
      encode: { value throws(RemoteError) in try Payload.encode(value) },
      answer
    )
  }

  /// Answers calls with bytes as arguments by publishers of bytes.
  ///
  /// See `serve(_:taking:jobs:ended:_:)`.
  public func serve<Answer: Publisher & SendableMetatype>(
    _ name: String,
    jobs: Int = 1,
    ended: @escaping @Sendable (RemoteError) -> Void = { _ in },
    _ answer: @escaping @Sendable ([UInt8]) -> Answer
  ) -> AnyCancellable where Answer.Output == [UInt8] {
    unsafe open(
      name,
      jobs: jobs,
      ended: ended,
      decode: { unsafe [UInt8]($0) },
      encode: { $0 },
      answer
    )
  }

  /// Answers calls with bytes as arguments by publishers of values, encoded as JSON.
  ///
  /// See `serve(_:taking:jobs:ended:_:)`.
  public func serve<Answer: Publisher & SendableMetatype>(
    _ name: String,
    jobs: Int = 1,
    ended: @escaping @Sendable (RemoteError) -> Void = { _ in },
    _ answer: @escaping @Sendable ([UInt8]) -> Answer
  ) -> AnyCancellable where Answer.Output: Encodable & SendableMetatype {
    unsafe open(
      name,
      jobs: jobs,
      ended: ended,
      decode: { unsafe [UInt8]($0) },
      encode: { value throws(RemoteError) in try Payload.encode(value) },
      answer
    )
  }

  private func open<Argument, Answer: Publisher & SendableMetatype>(
    _ name: String,
    jobs: Int,
    ended: @escaping @Sendable (RemoteError) -> Void,
    decode: @escaping @Sendable (UnsafeRawBufferPointer) throws(RemoteError) -> Argument,
    encode: @escaping @Sendable (Answer.Output) throws(RemoteError) -> [UInt8],
    _ answer: @escaping @Sendable (Argument) -> Answer
  ) -> AnyCancellable {
    precondition(jobs > 0, "jobs is \(jobs), expected 1 or more")
    let service = unsafe RemoteService(remote: self, name: name, jobs: jobs, ended: ended) {
      payload,
      place in
      let argument = Result { () throws(RemoteError) in unsafe try decode(payload) }
      return PublisherCall(place, encode: encode) { () throws(RemoteError) in
        answer(try argument.get())
      }
    }
    service.open()
    return AnyCancellable { service.cancel() }
  }
}
