/// How the subscriptions of a subject take batches.
struct BatchReaders {
  /// The largest batch for pipelines, since each stage takes all of it before the next.
  private static let ofPipelines = 256

  /// How many subscriptions take single values only.
  private(set) var singles = 0
  /// How many subscriptions may converge, and how many of these take single values.
  private(set) var converging = 0
  private(set) var convergingSingles = 0
  /// Whether outlets that may converge take the next batch one value after the other.
  var separates = false
  /// The last search that came here.
  var search = 0
  /// The largest batch at present.
  var largest = Int.max

  mutating func count(_ outlet: Outlet, _ change: Int) {
    if !outlet.takesBatches { singles += change }
    guard outlet.mayConverge else { return }
    converging += change
    if !outlet.takesBatches { convergingSingles += change }
  }

  /// Keeps batches small once a pipeline with many stages has joined, to save memory.
  mutating func joined(_ outlet: Outlet) {
    if !outlet.takesBatches { largest = min(largest, Self.ofPipelines) }
  }

  /// Makes batches smaller while values take long.
  mutating func adapt(_ count: Int, _ tookLong: Bool) {
    if tookLong {
      largest = max(1, count / 4)
    } else if largest < Self.ofPipelines {
      largest = min(2 * largest, Self.ofPipelines)
    }
  }
}
