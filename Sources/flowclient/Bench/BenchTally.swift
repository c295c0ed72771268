struct BenchTally {
  /// The time of the first value sent, or received if other processes send.
  var start: UInt64?
  var sent: UInt64 = 0
  /// When the server had taken the last value.
  var lastSent: UInt64?
  var received: UInt64 = 0
  var lastReceived: UInt64?
  /// Times from when a value was due until it was received.
  let latency = LatencyHistogram()
  /// Times from when a value was sent until it was received.
  let actual = LatencyHistogram()
  /// Values received before they were due, by this machine's clock.
  var early: UInt64 = 0
  var processorStart = 0.0
  var processorTime = 0.0
  /// The number of clients that ended early, by reason.
  var failures: [String: Int] = [:]
  /// The number of connections that are gone.
  var gone = 0
  /// Why nothing can be measured any more.
  var fatal: ClientError?

  mutating func add(_ count: UInt64, latency nanoseconds: Int64, lateness: UInt64) {
    if nanoseconds < 0 { early += count }
    let time = UInt64(max(0, nanoseconds))
    latency.add(time, times: count)
    actual.add(time > lateness ? time - lateness : 0, times: count)
  }
}
