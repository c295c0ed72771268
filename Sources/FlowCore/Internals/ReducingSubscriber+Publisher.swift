extension Publisher {
  /// Subscribes `downstream` to what becomes of all values.
  ///
  /// Nothing is sent if there is no result; once `isComplete` holds, the upstream is cancelled.
  @inlinable
  func receive<State, Downstream: Subscriber>(
    reducingThrough name: String,
    _ downstream: Downstream,
    _ state: State,
    step: @escaping (inout State, Output) -> Void,
    isComplete: @escaping (State) -> Bool = { _ in false },
    result: @escaping (State) -> Downstream.Input?
  ) where Downstream.Failure == Failure {
    let inner = ReducingSubscriber<Output, Failure, State, Downstream>(
      .reducing(name),
      downstream,
      state,
      mapFailure: { $0 },
      step: { state, input in
        step(&state, input)
        return nil
      },
      isComplete: isComplete,
      result: result
    )
    receive(subscriber: inner)
  }

  /// Subscribes `downstream` to what becomes of all values; an error thrown becomes the failure.
  @inlinable
  func receive<State, Downstream: Subscriber>(
    throwingReducingThrough name: String,
    _ downstream: Downstream,
    _ state: State,
    step: @escaping (inout State, Output) throws -> Void,
    isComplete: @escaping (State) -> Bool = { _ in false },
    result: @escaping (State) -> Downstream.Input?
  ) where Downstream.Failure == any Error {
    let inner = ReducingSubscriber<Output, Failure, State, Downstream>(
      .reducing(name),
      downstream,
      state,
      mapFailure: { $0 },
      step: { state, input in
        do {
          try step(&state, input)
          return nil
        } catch {
          return error
        }
      },
      isComplete: isComplete,
      result: result
    )
    receive(subscriber: inner)
  }
}
