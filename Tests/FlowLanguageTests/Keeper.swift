import FlowCore
import FlowLanguage

/// Keeps the last value.
final class Keeper: Subscriber {
  private(set) var last = Value.null

  func receive(subscription: any Subscription) { subscription.request(.unlimited) }

  func receive(_ input: Value) -> Subscribers.Demand {
    last = input
    return .none
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {}
}
