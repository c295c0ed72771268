internal import FlowLanguage

extension Verdict {
  /// Makes the verdict on a run of a pipeline: the first rule that matches.
  ///
  /// - Parameters:
  ///   - stages: from the source on, over about four seconds.
  ///   - end: the reader of the output.
  ///   - elsewhere: another subscription that the source waits for.
  ///   - busy: the share of time in which the event loop was busy.
  init(
    _ stages: [RecentStage],
    end: RunEnd,
    elsewhere: SlowReader? = nil,
    busy: Double = 0
  ) {
    let loser = Self.worst(stages, by: \.lost)
    let lost = loser == nil ? 0 : stages.reduce(0) { $0 + $1.shown.lost }
    let isPressed =
      loser != nil || stages.dropFirst().contains { $0.held > 0 } || stages[0].waiting > 0
      || stages.contains { $0.services.contains { $0.waiting > 0 } }
    let blame =
      loser.map {
        "Loses \(Self.rate(stages[$0].shown.lost)) at \(stages[$0].what), held up by "
      } ?? "Held up by "
    let asking = Self.asking(stages)
    if let asking, stages[asking].isUnserved {
      self = Self.heldUp(by: asking, stages, blame)
    } else if let failing = Self.worst(stages, by: \.failed) {
      self = Self.leavingOut(stages[failing], at: failing)
    } else if isPressed, stages[stages.count - 1].isBlocked {
      self = Self.heldUp(by: end, stages, blame)
    } else if isPressed, let culprit = Self.culprit(stages, below: stages.count) ?? asking {
      self = Self.heldUp(by: culprit, stages, blame)
    } else if let loser, stages[loser].isLate {
      self = Self.late(stages[loser], at: loser, busy)
    } else if let loser {
      self.init(
        code: .stage,
        text: "Loses \(Self.rate(stages[loser].shown.lost)) at \(stages[loser].what):"
          + " more comes than is asked for.",
        hint: "A buffer behind it holds what comes in bursts.",
        stage: loser
      )
    } else if let elsewhere {
      self.init(
        code: .elsewhere,
        text: "Held up by another reader of \(stages[0].what): \(elsewhere.label),"
          + " which reads \(elsewhere.name).",
        hint: "It has flow=slowest: its slowest subscription sets the pace.",
        name: elsewhere.name,
        mentions: elsewhere.mentions,
        person: elsewhere.person
      )
    } else if busy >= 0.9 {
      self.init(
        code: .busy,
        text:
          "The server is busy: its loop is at work \(Int((busy * 100).rounded())) % of the time.",
        hint: "Nothing in this pipeline holds it up; all of them share one processor."
      )
    } else {
      self = Self.undisturbed(stages)
    }
    self.lost = lost
    at = loser
    states = String(stages.map(\.letter))
  }

  /// Nobody subscribes to the pipeline.
  static func asleep(_ name: String, stages: Int) -> Verdict {
    Verdict(
      code: .asleep,
      text: "Asleep: nobody is subscribed to \(name).",
      hint: "flowclient sub \(name) wakes it.",
      states: String(repeating: "-", count: stages)
    )
  }

  /// The subscription to the pipeline is unknown.
  static func missing(_ stream: String, of name: String, stages: Int) -> Verdict {
    Verdict(
      code: .asleep,
      text: "Asleep: stream \(stream) does not run \(name), or has only begun to.",
      hint: "LIST streams has those that do.",
      states: String(repeating: "-", count: stages)
    )
  }

  /// The run has failed; `again` is the number of seconds until its restart.
  static func failed(_ reason: String, stages: Int, again: Int? = nil) -> Verdict {
    Verdict(
      code: .failed,
      text: "Failed: \(reason).",
      hint: again.map { "It starts again in \($0) s, its state anew." }
        ?? "DELETE it and define it again to start it anew, with restart=1s to have that done.",
      states: String(repeating: "-", count: stages)
    )
  }

  /// The server was too late for a timer whose ticks were requested.
  private static func late(_ timer: RecentStage, at number: Int, _ busy: Double) -> Verdict {
    Verdict(
      code: .busy,
      text:
        "Loses \(rate(timer.shown.lost)) at \(timer.what): the server comes too late for these ticks.",
      hint: "A turn of its loop takes longer than the interval; it is at work"
        + " \(Int((busy * 100).rounded())) % of the time.",
      stage: number
    )
  }

  /// The stage with the highest rate; nil if all are 0.
  private static func worst(_ stages: [RecentStage], by rate: (StageRates) -> Double) -> Int? {
    let rates = stages.map { rate($0.rates) }
    return rates.indices.filter { rates[$0] > 0 }.max { rates[$0] < rates[$1] }
  }

  private static func leavingOut(_ stage: RecentStage, at number: Int) -> Verdict {
    let reason = stage.reason ?? "its closure has no answer for them"
    return Verdict(
      code: .leavesOut,
      text: "Leaves out \(rate(stage.shown.failed)) at \(stage.what): \(reason).",
      hint: "SHOW has the last of these values.",
      stage: number
    )
  }

  private static func heldUp(
    by end: RunEnd,
    _ stages: [RecentStage],
    _ blame: String
  ) -> Verdict {
    let stalled = end.stalled ?? 0
    let why =
      end.isUnread
      ? stalled >= 1000
        ? "has not read what it was sent for \(stalled / 1000) s" : "does not read what it was sent"
      : stalled >= 1000
        ? "has asked for nothing for \(stalled / 1000) s" : "asks for less than comes"
    let held = stages.reduce(0) { $0 + $1.held }
    let waiting = stages[0].waiting
    let here = "\(held) \(held == 1 ? "value waits" : "values wait") for it here"
    let behind = waiting > 0 ? ", and \(waiting) with publishers" : ""
    let help =
      end.isUnread
      ? "A faster network or reader would help." : "A larger demand or a faster reader would help."
    return Verdict(
      code: .client,
      text: "\(blame)\(end.label), which \(why).",
      hint: "It takes \(rate(stages[stages.count - 1].rates.went)); \(here)\(behind). \(help)",
      end: end.label,
      stream: end.stream,
      person: end.stream == nil ? nil : end.label
    )
  }

  /// The last stage above `place` that is less than half blocked while the one above it is more.
  private static func culprit(_ stages: [RecentStage], below place: Int) -> Int? {
    (1..<max(1, place)).last { !stages[$0].isBlocked && stages[$0 - 1].isBlocked }
  }

  private static func asking(_ stages: [RecentStage]) -> Int? {
    stages.lastIndex { $0.isUnserved || $0.publishers != 0 && $0.waitsForService }
  }

  private static func heldUp(
    by number: Int,
    _ stages: [RecentStage],
    _ blame: String
  ) -> Verdict {
    let stage = stages[number]
    let limit = stage.limit.flatMap { $0 == stage.publishers ? $0 : nil }
    var hint = ""
    let why: String
    if let service = stage.services.first(where: { $0.waiting > 0 && $0.workers == 0 })
      ?? stage.services.first(where: { $0.waiting > 0 || $0.isFull && $0.workers > 0 })
    {
      why = service.text
      hint =
        service.workers == 0
        ? "flowclient serve \(service.name) -- COMMAND starts a worker."
        : "More workers, or quicker ones, would help."
    } else if let limit {
      why =
        limit == 1 ? "its one publisher is always busy" : "its \(limit) publishers are always busy"
      hint = "More at a time (maxPublishers), or quicker ones, would help."
    } else {
      why = "it is always at work"
    }
    if let next = culprit(stages, below: number) {
      hint += (hint.isEmpty ? "" : " ") + "Behind that, \(stages[next].what) would be the next one."
    }
    return Verdict(
      code: .stage,
      text: "\(blame)\(stage.what): \(why). It passes \(rate(stage.shown.went)).",
      hint: hint,
      stage: number
    )
  }

  private static func undisturbed(_ stages: [RecentStage]) -> Verdict {
    let came = stages[0].shown.came
    let went = stages[stages.count - 1].shown.went
    if came == 0, went == 0 {
      return Verdict(
        code: .quiet,
        text: stages.allSatisfy(\.isBlocked)
          ? "Quiet: nothing is asked for, and nothing waits."
          : "Quiet: nothing comes from \(stages[0].what); its subscriber waits for it."
      )
    }
    let isStarved = stages[stages.count - 1].time[StageState.starved.rawValue] >= 0.5
    return Verdict(
      code: .well,
      text: "All is well: \(rate(came)) come in, \(rate(went)) go out, nothing waits.",
      hint: isStarved ? "Its readers would take more: whoever sends sets the pace." : ""
    )
  }

  static func rate(_ perSecond: Double) -> String {
    if perSecond > 0, perSecond < 9.95 {
      let tenths = max(1, Int((perSecond * 10).rounded()))
      return "\(tenths / 10).\(tenths % 10)/s"
    }
    return "\(grouped(Int(perSecond.rounded())))/s"
  }

  private static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
    return String(digits)
  }
}

extension RecentStage {
  /// Whether more calls wait than run.
  fileprivate var waitsForService: Bool { services.contains { $0.waiting > $0.running } }

  /// Whether a service without a worker stops its output.
  fileprivate var isUnserved: Bool {
    rates.went == 0 && publishers != 0 && services.contains { $0.waiting > 0 && $0.workers == 0 }
  }
}

extension RecentService {
  /// Why it holds up its callers.
  fileprivate var text: String {
    let calls = waiting == 1 ? "1 call waits" : "\(waiting) calls wait"
    guard workers > 0 else {
      return "\(name) has no worker\(isShared ? " on this server" : ""), and \(calls)"
    }
    let who =
      workers == 1 ? "the worker of \(name) takes" : "the \(workers) workers of \(name) take"
    return "\(who) no more calls; \(running) \(running == 1 ? "is" : "are") under way, \(calls)"
  }
}
