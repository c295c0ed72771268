public import FlowCore

extension FlowRemote {
  /// Answers the calls of `ask(name, …)` with publishers, at most `jobs` at a time.
  ///
  ///     let service = remote.serve("resize", taking: Image.self, jobs: 3) { image in
  ///       resized(image)   // a publisher of Encodable values
  ///     }
  ///
  /// `answer` is called on the connection's queue, which must not be kept; the publisher may signal
  /// on any. It is asked for what the pipeline asks of the call, and its end is the end of the call,
  /// which makes room for another one. A failure fails the call: a `RemoteError` with its code and
  /// text, shortened to what a line holds, any other with the code `upstream`, as one whose code is no
  /// word of the protocol. A value that cannot be encoded fails the call with `unencodable`, and one
  /// that is larger than `largestValue` with `value-too-long`. When the pipeline cancels the call, or
  /// the connection is lost, the publisher is cancelled.
  ///
  /// An argument that is not what it should be fails its call with `undecodable`.
  ///
  /// `ended` is told, on the connection's queue, why the service is no more, unless it was cancelled
  /// here.
  ///
  /// - Returns: what ends the service when it is cancelled or released.
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

  /// Answers the calls of `ask(name, …)`, whose arguments are bytes, with publishers of bytes.
  ///
  /// For the rest see `serve(_:taking:jobs:ended:_:)`.
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

  /// Answers the calls of `ask(name, …)`, whose arguments are bytes, with publishers of values
  /// that are written as JSON.
  ///
  /// For the rest see `serve(_:taking:jobs:ended:_:)`.
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
