internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// Passing the pipeline's output to the subject.
extension Run {
  func receive(_ value: Value) -> Subscribers.Demand {
    guard publication != nil, isRunning else { return .none }
    received(1)
    if isTooDeep { wait(value) } else { send(value) }
    return grantAtOnce()
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe pass(payload)
    return grantAtOnce()
  }

  private func pass(_ payload: UnsafeRawBufferPointer) {
    guard publication != nil, isRunning else { return }
    received(1)
    if isTooDeep { unsafe wait(Value(bytes: payload)) } else { unsafe send(payload) }
  }

  /// How many payloads of up to `largest` bytes it takes at once.
  func room(for largest: Int) -> Int {
    guard largest <= engine.configuration.valueLimit else { return 0 }
    return min(batchRoom, Int(clamping: demand.max ?? .max))
  }

  /// Takes payloads for which there is room.
  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard let publication, isRunning else { return .none }
    let (batch, places) = (engine.batch, payloads.places)
    let taken = deeper { publication.publish(batch, places) }
    received(taken)
    for place in places.dropFirst(taken) { unsafe pass(batch[place]) }
    return grantAtOnce()
  }

  private func received(_ count: Int) {
    if let asked = demand.max { demand = .max(asked - min(asked, UInt64(count))) }
    values += count
  }

  /// Returns the demand that the subject grants now.
  private func grantAtOnce() -> Subscribers.Demand {
    guard !isExact, let more = publication?.grantAtOnce(), more > 0 else { return .none }
    demand += .max(UInt64(more))
    return .max(more)
  }

  func send(_ value: Value) {
    unsafe value.withBytes { unsafe send($0) }
  }

  func send(_ bytes: UnsafeRawBufferPointer) {
    guard let publication, isRunning else { return }
    guard bytes.count <= engine.configuration.valueLimit else {
      return fail(.limit, engine.tooLong(bytes.count))
    }
    if let backend, isExact {
      unsafe backend.store(bytes, at: standing.target)
    } else {
      deeper { _ = unsafe publication.publish(bytes) }
    }
  }

  /// Counts the nesting of work that may reach another run.
  func deeper<Result>(_ work: () -> Result) -> Result {
    engine.turn.runDepth += 1
    defer { engine.turn.runDepth -= 1 }
    return work()
  }

  func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    subscriber = nil
    if isTooDeep {
      lateEnd = completion
      resumeLater()
    } else {
      finishNow(completion)
    }
  }

  func finishNow(_ completion: Subscribers.Completion<PipelineFailure>) {
    if case .failure(let failure) = completion {
      sendLetter(of: failure)
      if startsAgain(after: failure) { return }
    }
    let publication = publication
    deeper {
      switch completion {
      case .finished: end(.finished)
      case .failure(let failure):
        end(.failed(failure))
        if standing.ending == .subscribe {
          let mentions = standing.pipeline.mentions
          publication?.subject.failureOrigins = engine.registry.origins(of: mentions)
        }
      }
      publication?.end(completion)
    }
  }
}
