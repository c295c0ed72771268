internal import FlowCore
internal import FlowLanguage

/// The publisher of `ask(service, value)`: each subscription is a call.
struct CallPublisher: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let service: String
  let argument: Value
  let engine: Engine
  let memoryBudget: MemoryBudget

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let erased = AnySubscriber(subscriber)
    let call = Call(argument, of: service, in: engine, for: memoryBudget, subscriber: erased)
    // First demand goes to the worker together with the argument.
    erased.receive(subscription: call)
    call.begin()
  }
}
