/// What a check of a file warns of: things that are accepted and probably not meant.
public enum LintRule: String, CaseIterable, Sendable {
  case unlimited = "W1"
  case delayWithoutBuffer = "W2"
  case rate = "W3"
  case endlessInner = "W4"
  case unread = "W5"
  /// An error: no server starts with it.
  case cycle = "W6"
  case uncaught = "W7"
  case unansweredCall = "W8"
  case missedInParts = "W9"

  /// What it warns of.
  public var summary: String {
    switch self {
    case .unlimited:
      "unlimited demand on a source that could wait, with no bounded stage after it"
    case .delayWithoutBuffer:
      "a delay after a subject that misses values, without a buffer between them"
    case .rate: "a computed rate below the stated one"
    case .endlessInner: "an unlimited flatMap over publishers that never end"
    case .unread: "a subject that nothing in the files reads or sends to"
    case .cycle: "runs that feed one another in a cycle; an error"
    case .uncaught: "a .customError that no later stage catches"
    case .unansweredCall:
      "an ask, a try operator or an error of timeout in a run, whose failure nothing catches,"
        + " or a timeout that ends the run"
    case .missedInParts:
      "a window, group, join or timed collect after a subject that misses values, without a buffer between them"
    }
  }

  /// What to do instead.
  public var advice: String {
    switch self {
    case .unlimited: "use maxPublishers: .max(n), or make the target flow=slowest"
    case .delayWithoutBuffer:
      "put .buffer(size: 16, prefetch: .byRequest, whenFull: .dropOldest) before it, or use flow=slowest"
    case .rate: "raise maxPublishers, shorten the delay, or correct the comment"
    case .endlessInner: "use maxPublishers: .max(n), or flatMapLatest"
    case .unread: "delete it, or write \"# lint: ignore W5\" above it if clients use it directly"
    case .cycle: "break the cycle in one place"
    case .uncaught: "add catch, retry or replaceError after it"
    case .unansweredCall:
      "write .catch { _ in Empty() } behind the ask, .retry(3) before that to try again,"
        + " map in place of tryMap, customError: in the timeout, or RUN NAME restart=1s = …"
    case .missedInParts:
      "use flow=slowest, or put .buffer(size: 1024, prefetch: .byRequest, whenFull: .dropOldest) before it"
    }
  }
}
