import FlowWire
import Testing

@testable import flowclient

@Suite("arguments of bench")
struct BenchArgumentTests {
  private func parse(_ line: String) throws(ClientError) -> BenchRequest? {
    let words = "bench \(line)".split(separator: " ").map(String.init)
    let command = try ArgumentParser.parse(words).command
    return (command as? BenchCommand)?.request
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
      ("e2", "bench is \"e2\", expected one of pub, sub, e2e, fanout"),
      ("e2e orders", "unexpected argument \"orders\"; bench e2e takes only options"),
      ("sub", "sub needs --subject NAME, a subject that somebody publishes to"),
      ("pub --subscribers 2", "--subscribers is for e2e and fanout; use --clients here"),
      ("fanout --clients 2", "fanout has one publisher; --subscribers sets the number of readers"),
      ("e2e --clients 200000", "--clients is \"200000\", expected at most 100000"),
      ("e2e --values 5 --for 5s", "--values and --for cannot be combined"),
      ("e2e --for 0s", "--for is 0, expected a longer time"),
      ("sub --subject x --rate 5", "--rate is for pub, e2e and fanout; sub publishes nothing"),
      ("e2e --rate fast", "--rate is \"fast\", expected a rate such as 500/s or 50k/s"),
      ("e2e --rate 0", "--rate is \"0\", expected a rate such as 500/s or 50k/s"),
      ("e2e --min-rate 5kk", "--min-rate is \"5kk\", expected a rate such as 500/s or 50k/s"),
      ("e2e --size big", "--size is \"big\", expected a size such as 128 or 4k"),
      (
        "e2e --size 15",
        "--size is \"15\", expected 16 to 1048576 (16 for a sender, a number and a time)"
      ),
      (
        "e2e --size 16 --rate 5",
        "--size is \"16\", expected 24 to 1048576 "
          + "(24 for a sender, a number and two times, with --rate)"
      ),
      (
        "e2e --size 2MiB",
        "--size is \"2097152\", expected 16 to 1048576 "
          + "(16 for a sender, a number and a time)"
      ),
      ("e2e --slow 2", "--slow is 2, expected at most 1, the subscribers"),
      ("e2e --delay 1ms", "--delay is for slow readers; give their number with --slow N"),
      ("pub --demand 5", "--demand is for sub, e2e and fanout; pub has no subscribers"),
      ("pub --max-p99 5ms", "--max-p99 is for sub, e2e and fanout; pub measures no latency"),
      (
        "e2e --subject x --flow free",
        "--flow cannot be combined with --subject, which names an existing subject"
      ),
      ("e2e --subject 1x", "--subject is \"1x\", expected a name"),
      ("e2e --flow fast", "--flow is \"fast\", expected one of free, slowest"),
      ("e2e --json --csv", "--json and --csv cannot be combined"),
    ]
  )
  func refusal(_ line: String, _ message: String) {
    let error = #expect(throws: ClientError.self) { try parse(line) }
    #expect(error?.message == message)
    #expect(error?.exit == .usage)
  }
}
