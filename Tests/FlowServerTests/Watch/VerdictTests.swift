import Testing

@testable import FlowServer

@Suite("The verdict")
struct VerdictTests {
  /// A stage by what it did most of the time.
  private func stage(
    _ what: String,
    _ letter: Character,
    came: Double = 0,
    went: Double = 0,
    lost: Double = 0,
    held: Int = 0,
    publishers: (Int, of: Int)? = nil,
    waiting: Int = 0,
    services: [RecentService] = []
  ) -> RecentStage {
    var stage = RecentStage(what: what)
    switch letter {
    case "s": stage.time = [0.9, 0.1, 0]
    case "w": stage.time = [0.1, 0.8, 0.1]
    default: stage.time = [0, 0.2, 0.8]
    }
    (stage.rates, stage.held) = (StageRates(came: came, went: went, lost: lost), held)
    (stage.publishers, stage.limit) = (publishers?.0, publishers?.of)
    (stage.waiting, stage.services) = (waiting, services)
    return stage
  }

  private let client = RunEnd(label: "client 7 (billing)", stream: "7.1", stalled: 12_340)

  @Test("slow stage: the last one that is not blocked below one that is")
  func slowStage() {
    let stages = [
      stage("orders", "b", came: 50, went: 50, waiting: 64),
      stage("buffer", "b", came: 50, went: 50, held: 16),
      stage("flatMap", "w", came: 50, went: 50, publishers: (2, of: 2)),
      stage("map", "s", came: 50, went: 50),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .stage)
    #expect(verdict.stage == 2)
    #expect(
      verdict.text == "Held up by flatMap: its 2 publishers are always busy. It passes 50/s."
    )
    #expect(verdict.states == "bbws")
  }

  @Test("a stage leaves out values, and why")
  func leavesOut() {
    var map = stage("map", "s", came: 2, went: 0.2, lost: 1.8)
    (map.rates.failed, map.reason) = (1.8, "cannot apply \"*\" to String and Int")
    let stages = [stage("orders", "s", came: 2, went: 2), map]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .leavesOut)
    #expect(verdict.stage == 1 && verdict.lost == 1.8)
    #expect(verdict.text == "Leaves out 1.8/s at map: cannot apply \"*\" to String and Int.")
    #expect(verdict.withoutNames(inside: false).text == "Leaves out values.")
  }

  @Test("a timer loses what it is not asked for, or what the server is too late for")
  func timer() {
    var timer = stage("Timer", "s", came: 100, went: 90, lost: 10)
    let rest = stage("map", "s", came: 90, went: 90)
    timer.isTimer = true
    let end = RunEnd(label: "the subject taps")
    timer.time = [0.9, 0, 0.1]
    let unasked = Verdict([timer, rest], end: end)
    #expect(unasked.code == .stage)
    #expect(unasked.text == "Loses 10/s at Timer: more comes than is asked for.")
    timer.time = [1, 0, 0]
    let late = Verdict([timer, rest], end: end, busy: 0.42)
    #expect(late.code == .busy && late.at == 0 && late.lost == 10)
    #expect(late.text == "Loses 10/s at Timer: the server comes too late for these ticks.")
    #expect(
      late.hint
        == "A turn of its loop takes longer than the interval; it is at work 42 % of the time."
    )
  }

  @Test("slow client: it has asked for nothing for long")
  func slowClient() {
    let stages = [
      stage("orders", "b", came: 1.4, went: 1.4, waiting: 3),
      stage("buffer", "b", came: 1.4, went: 1.4, held: 24),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .client)
    #expect(verdict.text == "Held up by client 7 (billing), which has asked for nothing for 12 s.")
    #expect(verdict.stream == "7.1")
    #expect(
      verdict.hint == "It takes 1.4/s; 24 values wait for it here, and 3 with publishers."
        + " A larger demand or a faster reader would help."
    )
  }

  @Test("nobody answers: the one value inside waits for a worker, and nothing comes any more")
  func noWorker() {
    let service = RecentService(name: "work", workers: 0, waiting: 1, running: 0, isFull: true)
    let stages = [
      stage("jobs", "b"),
      stage("flatMap", "w", publishers: (1, of: 1), services: [service]), stage("assign", "s"),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .stage)
    #expect(verdict.stage == 1)
    #expect(verdict.text.hasPrefix("Held up by flatMap: work has no worker, and 1 call waits."))
  }

  @Test("a stage that asks a service without a worker is named, even if none is blocked")
  func noWorkerAnywhere() {
    let service = RecentService(name: "work", workers: 0, waiting: 3, running: 0, isFull: true)
    let text = "Held up by ask: work has no worker, and 3 calls wait. It passes 0/s."
    #expect(Verdict([stage("ask", "s", services: [service])], end: client).text == text)
    let open = [
      stage("jobs", "s", came: 3, went: 3),
      stage("flatMap", "w", came: 3, publishers: (3, of: 0), services: [service]),
      stage("map", "b"),
    ]
    let verdict = Verdict(open, end: client)
    #expect(verdict.text == text.replacing("by ask", with: "by flatMap") && verdict.stage == 1)
    // A stage without running publishers waits for nothing: the waiting calls are those of others.
    let idle = [
      stage("jobs", "s"), stage("flatMap", "s", publishers: (0, of: 0), services: [service]),
    ]
    #expect(Verdict(idle, end: client).code == .quiet)
    let busy = RecentService(name: "work", workers: 1, waiting: 9, running: 1, isFull: true)
    let piled = [
      stage("jobs", "s", came: 3, went: 3),
      stage("flatMap", "w", came: 3, went: 2, publishers: (10, of: 0), services: [busy]),
    ]
    #expect(
      Verdict(piled, end: client).text
        == "Held up by flatMap: the worker of work takes no more calls; 1 is under way,"
        + " 9 calls wait. It passes 2.0/s."
    )
  }

  @Test("sentences show the rates of all runs of the pipeline together")
  func ratesOfAll() {
    var stages = [stage("taps", "s", came: 3, went: 3), stage("map", "s", came: 3, went: 3)]
    for place in stages.indices { stages[place].all = StageRates(came: 6, went: 6) }
    let verdict = Verdict(stages, end: client)
    #expect(verdict.text == "All is well: 6.0/s come in, 6.0/s go out, nothing waits.")
  }

  @Test("lasts as long as the same thing is wrong, even if its figures change")
  func lasting() {
    var lasting = LastingVerdict()
    let stages = [stage("orders", "b", waiting: 3), stage("buffer", "b", held: 24)]
    lasting.record(Verdict(stages, end: client), at: 1_000)
    let fuller = [stage("orders", "b", waiting: 4), stage("buffer", "b", held: 25)]
    lasting.record(Verdict(fuller, end: client), at: 2_000)
    #expect(lasting.lasted(at: 5_000) == 4_000)
    let other = RunEnd(label: "client 9", stream: "9.1", stalled: 2_000)
    lasting.record(Verdict(stages, end: other), at: 6_000)
    #expect(lasting.lasted(at: 6_500) == 500)
    lasting.record(.asleep("slow", stages: 2), at: 7_000)
    #expect(lasting.lasted(at: 8_000) == nil)
  }

  @Test("slow network: it has asked, and does not read")
  func slowNetwork() {
    let stages = [stage("orders", "b"), stage("buffer", "b", held: 1)]
    let end = RunEnd(label: "client 9", stream: "9.1", stalled: 400, isUnread: true)
    let verdict = Verdict(stages, end: end)
    #expect(verdict.code == .client)
    #expect(verdict.text == "Held up by client 9, which does not read what it was sent.")
    let long = RunEnd(label: "client 9", stream: "9.1", stalled: 3_400, isUnread: true)
    #expect(
      Verdict(stages, end: long).text
        == "Held up by client 9, which has not read what it was sent for 3 s."
    )
  }

  @Test(
    "slow worker: the stage that asks the service, and why that is slow",
    arguments: [
      (2, "the 2 workers of resize take no more calls; 2 are under way, 5 calls wait"),
      (1, "the worker of resize takes no more calls; 2 are under way, 5 calls wait"),
      (0, "resize has no worker, and 5 calls wait"),
    ]
  )
  func slowWorker(_ workers: Int, _ text: String) {
    let service = RecentService(
      name: "resize",
      workers: workers,
      waiting: 5,
      running: 2,
      isFull: true
    )
    let stages = [
      stage("orders", "b", waiting: 1),
      stage("flatMap", "w", went: 3, publishers: (8, of: 8), services: [service]),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.text == "Held up by flatMap: \(text). It passes 3.0/s.")
    #expect(verdict.stage == 1)
  }

  @Test("publisher too slow: all wait for it")
  func slowPublisher() {
    let stages = [stage("orders", "s", came: 3, went: 3), stage("map", "s", came: 3, went: 3)]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .well)
    #expect(verdict.text == "All is well: 3.0/s come in, 3.0/s go out, nothing waits.")
    #expect(verdict.hint == "Its readers would take more: whoever sends sets the pace.")
    let silent = [stage("orders", "s"), stage("map", "s")]
    #expect(
      Verdict(silent, end: client).text
        == "Quiet: nothing comes from orders; its subscriber waits for it."
    )
  }

  @Test("dropping buffer: it loses, and the stage below it is to blame")
  func droppingBuffer() {
    let stages = [
      stage("taps", "s", came: 120, went: 120),
      stage("buffer", "b", came: 120, went: 50, lost: 70.5, held: 20),
      stage("flatMap", "w", came: 50, went: 50, publishers: (3, of: 3)),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.code == .stage)
    #expect(verdict.stage == 2)
    #expect(verdict.at == 1)
    #expect(verdict.lost == 70.5)
    #expect(
      verdict.text == "Loses 71/s at buffer, held up by flatMap: its 3 publishers are always busy."
        + " It passes 50/s."
    )
    let burst = [
      stage("taps", "s", came: 9, went: 8, lost: 1), stage("map", "s", came: 8, went: 8),
    ]
    #expect(
      Verdict(burst, end: client).text
        == "Loses 1.0/s at taps: more comes than is asked for."
    )
  }

  @Test("nobody subscribed, and a run that has failed")
  func noRun() {
    #expect(Verdict.asleep("p", stages: 2).text == "Asleep: nobody is subscribed to p.")
    #expect(Verdict.asleep("p", stages: 2).states == "--")
    #expect(Verdict.failed("stage, map: 1 / 0", stages: 1).text == "Failed: stage, map: 1 / 0.")
  }

  @Test("two bottlenecks: the last one holds it up, and the other one is told")
  func twoBottlenecks() {
    let stages = [
      stage("orders", "b", waiting: 64),
      stage("flatMap", "w", went: 9, held: 1, publishers: (1, of: 1)),
      stage("buffer", "b", went: 9, held: 4),
      stage("delay", "w", went: 9, held: 3),
    ]
    let verdict = Verdict(stages, end: client)
    #expect(verdict.stage == 3)
    #expect(verdict.text == "Held up by delay: it is always at work. It passes 9.0/s.")
    #expect(verdict.hint == "Behind that, flatMap would be the next one.")
  }

  @Test("somebody else's subscription, and a busy loop")
  func elsewhere() {
    let stages = [stage("orders", "s", came: 5, went: 5), stage("map", "s", came: 5, went: 5)]
    let other = SlowReader(name: "audit", label: "client 3", stream: "3.1")
    let verdict = Verdict(stages, end: client, elsewhere: other, busy: 0.95)
    #expect(verdict.code == .elsewhere)
    #expect(verdict.text == "Held up by another reader of orders: client 3, which reads audit.")
    let busy = Verdict(stages, end: client, busy: 0.953)
    #expect(busy.text == "The server is busy: its loop is at work 95 % of the time.")
  }

  @Test("losing is worse than all else, then the rules in their order")
  func order() {
    var losing = Verdict(code: .stage, text: "")
    losing.lost = 1
    let codes = Verdict.Code.allCases.map { Verdict(code: $0, text: "") }
    for (index, verdict) in codes.enumerated() {
      #expect(losing.isWorse(than: verdict))
      #expect(!verdict.isWorse(than: losing))
      for better in codes[(index + 1)...] { #expect(verdict.isWorse(than: better)) }
    }
  }

  @Test(
    "rates are told as people read them",
    arguments: [
      (0, "0/s"), (0.004, "0.1/s"), (1, "1.0/s"), (9.94, "9.9/s"), (9.96, "10/s"),
      (999.6, "1,000/s"),
      (1_234_567, "1,234,567/s"),
    ]
  )
  func rates(_ rate: Double, _ text: String) { #expect(Verdict.rate(rate) == text) }
}
