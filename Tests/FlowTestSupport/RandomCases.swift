/// How many of the cases that a test has are tried.
public enum RandomCases {
  /// One of so many: all in a release build, an eighth in debug, where each takes ten times as long.
  public static let step: Int = {
    #if DEBUG
    8
    #else
    1
    #endif
  }()

  public static func count(_ all: Int, atLeast least: Int = 1) -> Int { max(least, all / step) }

  /// The seeds of so many cases.
  public static func seeds(_ all: Int) -> ClosedRange<UInt64> { 1...UInt64(count(all)) }
}
