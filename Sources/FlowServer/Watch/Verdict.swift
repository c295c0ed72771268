internal import FlowLanguage

/// A sentence on what holds up a pipeline, for the page, `flowclient top` and the metrics.
struct Verdict: Equatable {
  /// The rule that matched; the raw value is public.
  enum Code: String, CaseIterable {
    /// A stage leaves out values that its closure has no answer for.
    case leavesOut = "leaves-out"
    /// The reader of the output requests too little.
    case client
    /// A stage is slower than those above it.
    case stage
    /// Its subject waits for another subscription.
    case elsewhere
    /// The event loop is overloaded, or was late for a timer.
    case busy
    /// No values come, or none are requested.
    case quiet
    case well
    /// Nobody subscribes.
    case asleep
    /// It is a failed run.
    case failed

    /// The sentence without details.
    fileprivate var plain: String {
      switch self {
      case .leavesOut: "Leaves out values."
      case .client: "Held up by one of its readers."
      case .stage: "Held up by one of its stages."
      case .elsewhere: "Held up by another reader of its subject."
      case .busy: "The server is busy."
      case .quiet: "Quiet."
      case .well: "All is well."
      case .asleep: "Asleep."
      case .failed: "Failed."
      }
    }
  }

  var code: Code
  var text: String
  /// What would help; may be empty.
  var hint = ""
  var stage: Int?
  /// Lost values per second.
  var lost = 0.0
  /// The stage that loses them.
  var at: Int?
  var end: String?
  /// The stream of that subscriber: `CLIENT.ID`.
  var stream: String?
  /// The pipeline, run or subject elsewhere that it waits for.
  var name: String?
  /// The names in its sentences that some readers may not know.
  var mentions: [String] = []
  /// The sentence without the names in `mentions`, if there is one.
  var plain: String?
  /// The client in its sentences, such as `client 7 (billing)`; its name may be hidden.
  var person: String?
  /// A letter for each stage: its most frequent state.
  var states = ""

  /// Whether this is worse than `other`: losses first, then the order of the rules.
  func isWorse(than other: Verdict) -> Bool {
    if (lost > 0) != (other.lost > 0) { return lost > 0 }
    return Self.order(code) < Self.order(other.code)
  }

  private static func order(_ code: Code) -> Int { Code.allCases.firstIndex(of: code) ?? 0 }

  /// The verdict for readers who may not know `mentions`, or not see the inside.
  func withoutNames(inside: Bool) -> Verdict {
    if code == .asleep, mentions.isEmpty {
      var verdict = self
      if !inside { verdict.states = "" }
      return verdict
    }
    var verdict = Verdict(code: code, text: inside ? plain ?? code.plain : code.plain)
    if code == .failed { verdict.hint = hint }
    if inside { (verdict.lost, verdict.at, verdict.states) = (lost, at, states) }
    if code == .client, let stream, let end {
      verdict.text = "Held up by \(Self.number(of: end))."
      (verdict.end, verdict.stream) = (Self.number(of: end), stream)
    }
    return verdict
  }

  /// The verdict with clients as numbers only.
  var withoutLabels: Verdict {
    guard let person else { return self }
    var verdict = self
    verdict.text = text.replacing(person, with: Self.number(of: person))
    verdict.end = end.map(Self.number(of:))
    verdict.person = nil
    return verdict
  }

  /// Returns `client 7` for `client 7 (billing)`.
  private static func number(of label: String) -> String {
    label.firstRange(of: " (").map { String(label[..<$0.lowerBound]) } ?? label
  }

  /// What the verdict blames, in one or two words.
  func who(_ stages: [StageDescription]) -> String {
    switch code {
    case .client: end ?? ""
    case .stage, .leavesOut: stage.map { stages[$0].what } ?? ""
    case .elsewhere: name ?? ""
    default: ""
    }
  }
}

/// A stage of one run over the last seconds, as input of the rules.
struct RecentStage {
  var what: String
  /// The shares of time in which it was starved, working and blocked.
  var time: [Double] = [0, 0, 0]
  var rates = StageRates()
  /// The rates of all streams and runs together; nil if only this one counts.
  var all: StageRates?
  /// Why its closure had no answer for the last value that it left out.
  var reason: String?
  var isTimer = false
  /// Values inside now.
  var held = 0
  /// Open inner publishers and their limit; `nil` for none, or no limit.
  var publishers: Int?
  var limit: Int?
  /// For a subject: values that wait with its publishers.
  var waiting = 0
  /// The services that its publishers call.
  var services: [RecentService] = []

  /// The rates that sentences show.
  var shown: StageRates { all ?? rates }

  var isBlocked: Bool { time[StageState.blocked.rawValue] >= 0.5 }

  /// Whether its lost values were requested all the time, so that the server was too late.
  var isLate: Bool { isTimer && rates.lost > 0 && time[StageState.blocked.rawValue] == 0 }

  /// The letter of its most frequent state.
  var letter: Character {
    let most = time.indices.max { time[$0] < time[$1] } ?? 0
    return ["s", "w", "b"][most]
  }
}

/// A stage's values per second over the last seconds; `lost` includes `failed`, for which its closure
/// had no answer.
struct StageRates: Equatable {
  var came = 0.0
  var went = 0.0
  var lost = 0.0
  var failed = 0.0

  init(came: Double = 0, went: Double = 0, lost: Double = 0, failed: Double = 0) {
    (self.came, self.went, self.lost, self.failed) = (came, went, lost, failed)
  }

  /// The rates of a whole pipeline: in at the first stage, out at the last, dropped by all.
  init?(ofAll stages: [StageRates]) {
    guard let first = stages.first, let last = stages.last else { return nil }
    self.init(came: first.came, went: last.went, lost: stages.reduce(0) { $0 + $1.lost })
  }
}

/// A service that a stage calls.
struct RecentService {
  let name: String
  let workers: Int
  /// Calls that wait for a worker, and calls that workers are answering.
  let waiting: Int
  let running: Int
  let isFull: Bool
  /// Whether workers of other servers could answer, too.
  var isShared = false
}

/// The reader of a run's output.
struct RunEnd {
  /// Such as `client 7 (billing)`, or `the subject totals`.
  let label: String
  /// `CLIENT.ID`; `nil` for a run.
  var stream: String?
  /// For how long it has requested nothing although values waited, in milliseconds.
  var stalled: Int?
  /// Whether it has requested values but does not read them.
  var isUnread = false
}

/// The subscription that a subject waits for.
struct SlowReader: Equatable {
  /// The pipeline, run or subject through which it reads.
  let name: String
  /// `client 7 (billing)`, or `run sums`.
  let label: String
  /// `CLIENT.ID`; `nil` for a run, and for a reader of another server.
  let stream: String?
  /// The run's name, if it is one.
  var run: String?

  var mentions: [String] { [name, run].compactMap(\.self) }

  /// The label, if this is a client.
  var person: String? { stream == nil ? nil : label }
}

extension StageDescription {
  /// Its name in a sentence.
  var what: String { name ?? text }
}
