/// The counts of all clients of a bench.
struct BenchTally {
  /// The time of the first value that was sent, or received if others send.
  var start: UInt64?
  var sent: UInt64 = 0
  /// When the server had taken the last value.
  var lastSent: UInt64?
  var received: UInt64 = 0
  var lastReceived: UInt64?
  /// From when a value was due until it was received.
  let latency = LatencyHistogram()
  /// From when it was sent.
  let actual = LatencyHistogram()
  /// Values that came before they were due, by the clock of this machine.
  var early: UInt64 = 0
  /// The processor time before the start.
  var processorStart = 0.0
  var processorTime = 0.0
  /// Why clients ended early, and how many each.
  var failures: [String: Int] = [:]
  /// Connections that are gone.
  var gone = 0
  /// Why there is nothing left to measure.
  var fatal: ClientError?

  mutating func add(_ count: UInt64, latency nanoseconds: Int64, lateness: UInt64) {
    if nanoseconds < 0 { early += count }
    let time = UInt64(max(0, nanoseconds))
    latency.add(time, times: count)
    actual.add(time > lateness ? time - lateness : 0, times: count)
  }
}
