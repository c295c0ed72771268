extension Future where Failure == Never {
  /// The promised value, when it is there.
  public final var value: Output {
    get async { await kept(isolation: nil).get() }
  }
}

extension Future {
  /// The promised value, when it is there; a failure is thrown.
  public final var value: Output {
    get async throws { try await kept(isolation: nil).get() }
  }

  /// Waits for the result, as long as it takes: a promise cannot be cancelled.
  private func kept(isolation actor: isolated (any Actor)?) async -> Result<Output, Failure> {
    unsafe await withUnsafeContinuation(isolation: actor) { unsafe receive(subscriber: Waiter($0)) }
      .value
  }
}

/// Resumes a task with what a future promised.
@safe  // memory 9
private struct Waiter<Input, Failure: Error>: Subscriber {
  typealias Waiting = UnsafeContinuation<HandedOver<Result<Input, Failure>>, Never>

  let combineIdentifier = CombineIdentifier()
  private let waiting: Waiting

  init(_ waiting: Waiting) { unsafe self.waiting = unsafe waiting }

  func receive(subscription: any Subscription) { subscription.request(.max(1)) }

  func receive(_ input: Input) -> Subscribers.Demand {
    unsafe waiting.resume(returning: HandedOver(value: .success(input)))
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard case .failure(let error) = completion else { return }
    unsafe waiting.resume(returning: HandedOver(value: .failure(error)))
  }
}
