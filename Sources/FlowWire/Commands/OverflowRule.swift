/// What happens to values that a publisher sends beyond its grant.
public enum OverflowRule: String, Sendable, CaseIterable {
  /// They wait in the inbox; when it is full the connection is not read.
  case hold
  /// The publication is cancelled with `overrun`.
  case cancel
  /// They are dropped, counted and reported.
  case drop
}
