/// A publisher that publishes nothing before it is connected.
public protocol ConnectablePublisher: Publisher {
  /// Begins publishing, until the result is cancelled.
  func connect() -> any Cancellable
}
