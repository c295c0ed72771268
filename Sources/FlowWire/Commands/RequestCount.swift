/// What stands in a `REQ`: the Reactive Streams rule 3.9 makes a wrong number the stream's failure.
public enum RequestCount: Hashable, Sendable {
  /// So many values more; past 2^63−1 it is unlimited.
  case demand(Demand)
  /// Zero or a negative number, as it was written: that stream fails with `bad-demand`.
  case refusedDemand(String)
}
