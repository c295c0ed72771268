/// Counts of times in nanoseconds, in buckets whose width grows with the time.
///
/// Below 128 ns every nanosecond has a bucket, above it each doubling has 128 of them, so that a
/// quantile is at most 0.4 % off. Adding costs the same whatever the time; a class, so that it does
/// not cost a look at who else holds the counts.
@safe  // memory 8
final class LatencyHistogram {
  private static let precision = 7
  /// 2^40 ns are 18 minutes; what takes longer is in the last bucket, but `largest` is exact.
  private static let doublings = 40

  private let buckets: UnsafeMutableBufferPointer<UInt64>
  private(set) var count: UInt64 = 0
  private(set) var smallest = UInt64.max
  private(set) var largest: UInt64 = 0
  private var sum = 0.0

  init() {
    let size = (Self.doublings - Self.precision + 1) << Self.precision
    unsafe buckets = .allocate(capacity: size)
    unsafe buckets.initialize(repeating: 0)
  }

  deinit { unsafe buckets.deallocate() }

  func add(_ time: UInt64, times: UInt64 = 1) {
    unsafe buckets[Self.bucket(of: min(time, 1 << UInt64(Self.doublings) - 1))] &+= times
    count &+= times
    sum += Double(time) * Double(times)
    if time < smallest { smallest = time }
    if time > largest { largest = time }
  }

  var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// The time that a share `quantile`, from 0 to 1, of all times does not exceed.
  func time(at quantile: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let rank = max(1, UInt64((quantile * Double(count)).rounded(.up)))
    if rank >= count { return largest }
    var seen: UInt64 = 0
    for index in unsafe buckets.indices {
      seen += unsafe buckets[index]
      if seen >= rank { return min(max(Self.middle(of: index), smallest), largest) }
    }
    return largest
  }

  /// Returns the number of times between each of `limits`, which ascend, and the one before.
  ///
  /// A limit counts as the beginning of its bucket; powers of two are exact.
  func counts(below limits: [UInt64]) -> [UInt64] {
    var result = [UInt64](repeating: 0, count: limits.count)
    var place = 0
    for index in unsafe buckets.indices {
      let number = unsafe buckets[index]
      guard number > 0 else { continue }
      while place < limits.count, Self.start(of: index) >= limits[place] { place += 1 }
      guard place < limits.count else { break }
      result[place] += number
    }
    return result
  }

  private static func bucket(of time: UInt64) -> Int {
    guard time >= 1 << UInt64(precision) else { return Int(time) }
    let shift = 63 - time.leadingZeroBitCount - precision
    return shift << precision + Int(time >> UInt64(shift))
  }

  private static func start(of bucket: Int) -> UInt64 {
    guard bucket >= 1 << (precision + 1) else { return UInt64(bucket) }
    let shift = bucket >> precision - 1
    return UInt64(bucket - shift << precision) << UInt64(shift)
  }

  private static func middle(of bucket: Int) -> UInt64 {
    let start = start(of: bucket)
    guard bucket >= 1 << (precision + 1) else { return start }
    return start + 1 << UInt64(bucket >> precision - 1) / 2
  }
}
