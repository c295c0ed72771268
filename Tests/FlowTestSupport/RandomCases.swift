/// The part of a test's random cases, repetitions and values that a run tries.
public enum RandomCases {
  /// A run tries one of `step` cases: all in release, an eighth in debug, where each takes ten times as long.
  public static let step: Int = {
    #if DEBUG
    8
    #else
    1
    #endif
  }()

  public static func count(_ all: Int, atLeast least: Int = 1) -> Int { max(least, all / step) }

  /// In debug every fourth of `all`, beginning with another one for another `first`; in release all.
  public static func selection<Element>(of all: [Element], from first: Int = 0) -> [Element] {
    let step = max(1, min(Self.step / 2, all.count))
    return stride(from: first % step, to: all.count, by: step).map { all[$0] }
  }

  /// The seeds of the cases to try, from 1.
  public static func seeds(_ all: Int) -> ClosedRange<UInt64> { 1...UInt64(count(all)) }
}
