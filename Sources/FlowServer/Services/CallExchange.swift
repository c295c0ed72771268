/// Exchanges calls with other servers.
package protocol CallExchange: AnyObject {
  /// Offers a call that waits for a worker.
  func waits(_ call: Call, at service: Service)
  /// Reports that the capacity of `service`'s workers may have changed.
  func capacityChanged(of service: Service)
}

/// The offer of a call to workers of other servers.
package protocol CallOffer: AnyObject {
  /// Withdraws the offer: the call has a worker, or is over.
  func withdraw()
  /// Sends new demand to the worker elsewhere at the end of the turn.
  func scheduleRequest()
  /// Tells the worker elsewhere that the pipeline has left.
  func cancel()
}
