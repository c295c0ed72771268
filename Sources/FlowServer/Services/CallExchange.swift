/// Exchanges calls with other servers: those for which no worker of this one is free, and those of others.
protocol CallExchange: AnyObject {
  /// A call waits for a worker.
  func waits(_ call: Call, at service: Service)
  /// What the workers of `service` can take may have changed.
  func note(_ service: Service)
}
