import FlowTestSupport
import Testing

@testable import flowclient

@Suite("histogram of latencies")
struct LatencyHistogramTests {
  @Test("nothing counted is nothing told")
  func empty() {
    let histogram = LatencyHistogram()
    #expect(histogram.count == 0)
    #expect(histogram.time(at: 0.5) == 0)
    #expect(histogram.mean == 0)
  }

  @Test("a quantile of one time is that time, within half a percent")
  func single() {
    for time: UInt64 in [0, 1, 127, 128, 255, 256, 257, 999, 65_535, 123_456_789, 1 << 39] {
      let histogram = LatencyHistogram()
      histogram.add(time)
      histogram.add(time * 3 + 1)
      let median = Double(histogram.time(at: 0.5))
      #expect(abs(median - Double(time)) <= Double(time) * 0.005, "\(time)")
    }
  }

  @Test("quantiles are those of the sorted times, at most 1 % off", arguments: [1, 2, 3])
  func quantiles(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    var times: [UInt64] = []
    let histogram = LatencyHistogram()
    for _ in 0..<20_000 {
      let time = UInt64.random(in: 0...UInt64(1) << UInt64.random(in: 4...34), using: &generator)
      times.append(time)
      histogram.add(time)
    }
    times.sort()
    for quantile in [0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1] {
      let exact = Double(times[Int((quantile * 20_000).rounded(.up)) - 1])
      let told = Double(histogram.time(at: quantile))
      #expect(abs(told - exact) <= exact * 0.01 + 1, "p\(quantile * 100)")
    }
    #expect(histogram.smallest == times.first)
    #expect(histogram.largest == times.last)
    let mean = times.reduce(0) { $0 + Double($1) } / 20_000
    #expect(abs(histogram.mean - mean) <= mean * 1e-9)
  }

  @Test("many at once are as many one by one")
  func times() {
    let (one, many) = (LatencyHistogram(), LatencyHistogram())
    many.add(500, times: 1000)
    many.add(90_000, times: 10)
    for _ in 0..<1000 { one.add(500) }
    for _ in 0..<10 { one.add(90_000) }
    #expect(many.count == one.count)
    for quantile in [0.5, 0.99, 0.995, 1] {
      #expect(many.time(at: quantile) == one.time(at: quantile))
    }
  }

  @Test("what takes longer than the last bucket is counted, and the largest is exact")
  func huge() {
    let histogram = LatencyHistogram()
    let time = UInt64.max / 2
    histogram.add(time)
    histogram.add(5)
    #expect(histogram.count == 2)
    #expect(histogram.largest == time)
    #expect(histogram.time(at: 1) == time)
  }

  @Test("counts between limits that are powers of two are exact")
  func between() {
    let histogram = LatencyHistogram()
    for time: UInt64 in [1, 1023, 1024, 2047, 2048, 4096, 4097] { histogram.add(time) }
    #expect(histogram.counts(below: [1024, 2048, 4096, 8192]) == [2, 2, 1, 2])
  }
}
