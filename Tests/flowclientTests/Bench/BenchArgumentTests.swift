import Testing

@testable import flowclient

@Suite("arguments of bench")
struct BenchArgumentTests {
  private func parse(_ line: String) throws(ClientError) -> BenchRequest? {
    let words = "bench \(line)".split(separator: " ").map(String.init)
    let invocation = try ArgumentParser.parse(words, wireVerbs: [])
    guard case .bench(let request) = invocation.action else { return nil }
    return request
  }

  @Test("each form has its usual clients and flow")
  func forms() throws {
    #expect(try parse("e2e") == BenchRequest(form: .e2e))
    let pub = try parse("pub")
    #expect(pub?.publishers == 1 && pub?.subscribers == 0 && pub?.flow == .free)
    let sub = try parse("sub --subject x --clients 7")
    #expect(sub?.publishers == 0 && sub?.subscribers == 7 && sub?.subject == "x")
    let fanout = try parse("FANOUT")
    #expect(fanout?.publishers == 1 && fanout?.subscribers == 10 && fanout?.flow == .slowest)
  }

  @Test("every option has its place")
  func options() throws {
    let line =
      "e2e --clients 2 --subscribers 3 --size 4KiB --values 500 --rate 1.5M/s --demand 7 --slow 1 "
      + "--delay 3ms --flow free --timeout 9s --max-p99 5ms --min-rate 50k/s --json"
    var expected = BenchRequest(form: .e2e)
    expected.publishers = 2
    expected.subscribers = 3
    expected.size = 4096
    expected.length = .values(500)
    expected.rate = 1_500_000
    (expected.window, expected.slowWindow) = (.upTo(7), .upTo(7))
    (expected.slow, expected.delay) = (1, .milliseconds(3))
    expected.flow = .free
    expected.timeout = .seconds(9)
    expected.thresholds = BenchThresholds(longestP99: .milliseconds(5), leastRate: 50_000)
    expected.output = .json
    #expect(try parse(line) == expected)
    #expect(try parse("pub --for 2m --csv")?.length == .time(.seconds(120)))
    #expect(try parse("e2e --demand max --slow 1")?.slowWindow == .unlimited)
    #expect(try parse("e2e --slow 1")?.slowWindow == .upTo(1))
  }

  @Test(
    "refuses what is wrong and says what is right",
    arguments: [
      ("", "bench needs one of pub, sub, e2e, fanout"),
      ("e2", "bench is 'e2', expected one of pub, sub, e2e, fanout"),
      ("e2e orders", "bench e2e takes only options, it was given 'orders'"),
      ("sub", "sub needs --subject NAME, or nobody publishes to it"),
      ("pub --subscribers 2", "--subscribers goes with e2e and fanout; here it is --clients"),
      ("fanout --clients 2", "fanout has one publisher; --subscribers says how many read"),
      ("e2e --clients 200000", "--clients is '200000', at most 100000 are possible"),
      ("e2e --values 5 --for 5s", "--values 5 and --for exclude each other"),
      ("e2e --for 0s", "--for has to be longer than 0"),
      ("sub --subject x --rate 5", "--rate goes with pub, e2e and fanout; sub takes what comes"),
      ("e2e --rate fast", "--rate is 'fast', expected a rate such as 500/s, 50k/s"),
      ("e2e --rate 0", "--rate is '0', expected a rate such as 500/s, 50k/s"),
      ("e2e --min-rate 5kk", "--min-rate is '5kk', expected a rate such as 500/s, 50k/s"),
      ("e2e --size big", "--size is 'big', expected a size such as 128, 4KiB"),
      (
        "e2e --size 15",
        "--size is '15', expected 16 (the sender, a number and a time) to 1048576"
      ),
      (
        "e2e --size 16 --rate 5",
        "--size is '16', expected 24 (with --rate two times as well) to 1048576"
      ),
      (
        "e2e --size 2MiB",
        "--size is '2097152', expected 16 (the sender, a number and a time) "
          + "to 1048576"
      ),
      ("e2e --slow 2", "--slow 2 of 1 subscribers is too many"),
      ("e2e --delay 1ms", "--delay is for slow readers; --slow N says how many there are"),
      ("pub --demand 5", "--demand goes with sub, e2e and fanout; pub has no subscribers"),
      ("pub --max-p99 5ms", "--max-p99 goes with sub, e2e and fanout; pub sees no latency"),
      (
        "e2e --subject x --flow free",
        "--flow is for a subject of its own, --subject NAME is there already"
      ),
      ("e2e --subject 1x", "--subject is '1x', expected a name"),
      ("e2e --flow fast", "--flow is 'fast', expected one of free, slowest"),
      ("e2e --json --csv", "--json and --csv exclude each other"),
    ]
  )
  func refusal(_ line: String, _ message: String) {
    let error = #expect(throws: ClientError.self) { try parse(line) }
    #expect(error?.message == message)
    #expect(error?.exit == .usage)
  }
}
