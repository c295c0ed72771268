import Testing

@testable import flowclient

@Suite("report of bench")
struct BenchReportTests {
  private var report: BenchReport {
    var request = BenchRequest(form: .e2e)
    request.subscribers = 2
    request.rate = 1000
    var report = BenchReport(request: request)
    report.sent = .init(values: 2000, seconds: 2, clients: [2000])
    report.received = .init(values: 3990, seconds: 2, clients: [2000, 1990])
    report.latency = .init(
      least: 850,
      mean: 41_234,
      quantiles: [40_000, 41_000, 50_000, 60_000, 7_200_000, 8_000_000, 9_000_000],
      most: 9_999_999
    )
    report.actual = .init(
      least: 800,
      mean: 30_000,
      quantiles: [30_000, 31_000, 40_000, 50_000, 700_000, 800_000, 900_000],
      most: 999_500
    )
    report.bars = [
      .init(limit: 1024, count: 1), .init(limit: 2048, count: 0), .init(limit: 4096, count: 99),
    ]
    report.lost = 10
    report.missed = 10
    report.processorTime = 0.5
    report.elapsed = 2
    return report
  }

  @Test("text has rates, percentiles from both moments, a histogram and the verdict")
  func text() {
    let expected = """
      e2e: 1 publisher, 2 subscribers, 128 bytes, at 1,000/s, flow=slowest
      sent      2,000 values in 2.00 s, 1,000/s, 0.1 MB/s
      received  3,990 values in 2.00 s, 1,995/s, 0.3 MB/s
          each  min 995/s  avg 998/s  max 1,000/s

      latency   from when a value was due (from when it was sent)
        min        850 ns  (800 ns)
        mean      41.2 µs  (30.0 µs)
        p50       40.0 µs  (30.0 µs)
        p75       41.0 µs  (31.0 µs)
        p90       50.0 µs  (40.0 µs)
        p95       60.0 µs  (50.0 µs)
        p99       7.20 ms  (700 µs)
        p99.9     8.00 ms  (800 µs)
        p99.99    9.00 ms  (900 µs)
        max       10.0 ms  (1.00 ms)

        <  1.02 µs    1.00 %  #
        <  2.05 µs    0.00 %
        <  4.10 µs   99.00 %  ##################################################

      lost 10 duplicated 0 reordered 0
      missed without demand, as reported by the server: 10
      flowclient used 0.25 of a core

      """
    #expect(report.text() == expected)
  }

  @Test("color is only in the verdict, and only if asked for")
  func color() {
    var report = report
    #expect(!report.text().contains("\u{1b}"))
    #expect(report.text(isColored: true).contains("\u{1b}[31mlost 10 "))
    report.lost = 0
    #expect(report.text(isColored: true).contains("\u{1b}[32mlost 0 "))
  }

  @Test("no line is wider than 100 columns, whatever the numbers are")
  func width() {
    var report = report
    report.request.subject = String(repeating: "x", count: 128)
    report.request.publishers = 100_000
    report.request.subscribers = 100_000
    report.request.slow = 99_999
    report.request.rate = 1e9
    report.received = .init(values: 1 << 50, seconds: 99_999, clients: [1 << 50, 1 << 50])
    for line in report.text().split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
  }

  @Test("what was lost, duplicated, reordered, failed or too slow is a complaint")
  func complaints() {
    var report = report
    #expect(report.complaints == ["10 values were lost"])
    report.lost = 0
    #expect(report.complaints == [])
    report.duplicated = 1
    report.reordered = 2
    report.failures = ["too-slow x": 2]
    report.request.thresholds = .init(longestP99: .milliseconds(5), leastRate: 50_000)
    #expect(
      report.complaints == [
        "1 value was duplicated", "2 values were reordered", "2 clients failed: too-slow x",
        "p99 is 7.20 ms, above 5.00 ms (--max-p99)",
        "the rate is 1,995/s, below 50,000/s (--min-rate)",
      ]
    )
    var silent = BenchReport(request: BenchRequest(form: .pub))
    silent.sent = .init(values: 0, seconds: 1, clients: [0])
    #expect(silent.complaints == ["nothing was sent: nobody requested values"])
  }

  @Test("thresholds that are just reached are reached")
  func thresholds() {
    let thresholds = BenchThresholds(longestP99: .milliseconds(5), leastRate: 1000)
    #expect(thresholds.misses(p99: 5_000_000, rate: 1000) == [])
    #expect(thresholds.misses(p99: 5_000_001, rate: 999.9).count == 2)
    #expect(BenchThresholds().misses(p99: .max, rate: 0) == [])
  }

  @Test("JSON and CSV have the same fields, the same ones in every form")
  func fields() {
    let (full, empty) = (report, BenchReport(request: BenchRequest(form: .pub)))
    #expect(full.fields.map(\.name) == empty.fields.map(\.name))
    #expect(full.json().contains("\"latency_p99_9_us\":8000.000,"))
    #expect(full.json().contains("\"subject\":null,"))
    #expect(full.json().hasSuffix("\"ok\":false,\"complaints\":\"10 values were lost\"}\n"))
    let lines = full.csv().split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines.count == 2 && lines[0].count == lines[1].count)
    #expect(lines[0].prefix(5) == ["form", "subject", "flow", "publishers", "subscribers"])
    #expect(lines[1].prefix(5) == ["e2e", "", "slowest", "1", "2"])
  }

  @Test("a text with a comma or a quote is quoted in CSV")
  func quoting() {
    var report = report
    report.failures = ["a, \"b\"": 1]
    #expect(
      report.csv().hasSuffix(",false,\"10 values were lost; 1 client failed: a, \"\"b\"\"\"\n")
    )
  }
}

@Suite("figures")
struct FigureTests {
  @Test(
    "times have three digits and a unit",
    arguments: [
      (0, "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (41_234, "41.2 µs"), (999_499, "999 µs"),
      (999_500, "1.00 ms"), (1_020_000, "1.02 ms"), (9_999_999, "10.0 ms"),
      (123_456_789, "123 ms"), (999_500_000, "1.00 s"), (3_400_000_000, "3.40 s"),
    ]
  )
  func time(_ nanoseconds: UInt64, _ text: String) {
    #expect(Figure.time(nanoseconds) == text)
  }

  @Test("counts, rates and short numbers")
  func others() {
    #expect(Figure.count(0) == "0")
    #expect(Figure.count(1_234_567) == "1,234,567")
    #expect(Figure.rate(0.5) == "0.5/s")
    #expect(Figure.rate(1_998_800.4) == "1,998,800/s")
    #expect(Figure.short(950) == "950")
    #expect(Figure.short(12_345) == "12.3k")
    #expect(Figure.short(2_050_000) == "2.05M")
    #expect(Figure.decimal(0.0049, digits: 2) == "0.00")
    #expect(Figure.decimal(1.999, digits: 2) == "2.00")
  }
}

@Suite("progress of bench")
struct BenchProgressTests {
  @Test("tells of connections, then of the share and the rates")
  func line() {
    var request = BenchRequest(form: .e2e)
    request.length = .time(.seconds(4))
    let progress = BenchProgress(request)
    let idle = BenchProgress.Sample(opened: 1)
    #expect(progress.line(idle, idle, seconds: 0.25, now: 5) == "connections 1 of 2")
    let before = BenchProgress.Sample(opened: 2, start: 1_000_000_000, sent: 100, received: 100)
    var now = before
    (now.sent, now.received) = (250_100, 500_100)
    let line = progress.line(now, before, seconds: 0.25, now: 3_000_000_000)
    #expect(line == "[##########----------]  50 %  sent 1.00M/s  received 2.00M/s")
  }

  @Test("a sub that has heard nothing waits, and counts values if that is its measure")
  func sub() {
    var request = BenchRequest(form: .sub)
    request.publishers = 0
    request.subscribers = 2
    request.length = .values(100)
    let progress = BenchProgress(request)
    let idle = BenchProgress.Sample(opened: 2)
    #expect(progress.line(idle, idle, seconds: 0.25, now: 5) == "waiting for the first value")
    let now = BenchProgress.Sample(opened: 2, start: 1, received: 50)
    let line = progress.line(now, idle, seconds: 0.25, now: 9)
    #expect(line == "[#####---------------]  25 %  received   200/s")
  }
}
