/// Exchanges calls with other servers: those for which no worker of this one is free, and those of others.
protocol CallExchange: AnyObject {
  /// A call waits for a worker.
  func waits(_ call: Call, at service: Service)
  /// What the workers of `service` can take may have changed.
  func note(_ service: Service)
}

/// A call that workers of other servers may answer.
protocol CallOffer: AnyObject {
  /// The call has a worker, or is over: takes the offer back.
  func withdraw()
  /// The pipeline wants more of the worker that has the call: tells it at the end of the turn.
  func scheduleRequest()
  /// The pipeline has left the worker that has the call.
  func cancel()
}
