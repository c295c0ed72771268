internal import FlowLanguage

/// Who holds up a pipeline, in a sentence: what the page, `flowclient top` and the metrics tell.
struct Verdict: Equatable {
  /// The rule that fits; the raw value is what is told.
  enum Code: String, CaseIterable {
    /// A stage leaves out values that its closure has no answer for.
    case leavesOut = "leaves-out"
    /// Whoever reads what it makes asks for less than comes.
    case client
    /// A stage is slower than what is above it.
    case stage
    /// Its subject waits for somebody else's subscription.
    case elsewhere
    /// The event loop is, or was too late for a timer.
    case busy
    /// Nothing comes, or nothing is asked for.
    case quiet
    case well
    /// Nobody is subscribed.
    case asleep
    /// It is a run that has failed.
    case failed

    /// The sentence that says only what the code says.
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
  /// The sentence.
  var text: String
  /// What would help, if anything is known to; may be empty.
  var hint = ""
  /// The stage that holds it up.
  var stage: Int?
  /// Values lost a second.
  var lost = 0.0
  /// The stage that loses them.
  var at: Int?
  /// The subscriber that holds it up.
  var end: String?
  /// What runs for that one: `CLIENT.ID`.
  var stream: String?
  /// What it waits for elsewhere: a pipeline, a run or a subject.
  var name: String?
  /// The names in its sentences that some readers of this verdict may not know.
  var mentions: [String] = []
  /// The sentence without the names in `mentions`, if there is one.
  var plain: String?
  /// The client in its sentences, as `client 7 (billing)`; hidden from those who may not see client names.
  var person: String?
  /// A letter for each stage of the run that this is about: what it did most of the time.
  var states = ""

  /// Whether this is worse than `other`: losing before all else, then in the order of the rules.
  func isWorse(than other: Verdict) -> Bool {
    if (lost > 0) != (other.lost > 0) { return lost > 0 }
    return Self.order(code) < Self.order(other.code)
  }

  private static func order(_ code: Code) -> Int { Code.allCases.firstIndex(of: code) ?? 0 }

  // MARK: Hiding names and labels

  /// The verdict for someone who may not know all names in `mentions`, or not see the `inside` of what it is about.
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

  /// The verdict with clients by their numbers only.
  var withoutLabels: Verdict {
    guard let person else { return self }
    var verdict = self
    verdict.text = text.replacing(person, with: Self.number(of: person))
    verdict.end = end.map(Self.number(of:))
    verdict.person = nil
    return verdict
  }

  /// `client 7` of `client 7 (billing)`.
  private static func number(of label: String) -> String {
    label.firstRange(of: " (").map { String(label[..<$0.lowerBound]) } ?? label
  }

  /// Who or what it is about, in a word or two.
  func who(_ stages: [StageDescription]) -> String {
    switch code {
    case .client: end ?? ""
    case .stage, .leavesOut: stage.map { stages[$0].what } ?? ""
    case .elsewhere: name ?? ""
    default: ""
    }
  }
}

/// A stage of one run over the last seconds: what the rule of the verdict looks at.
struct RecentStage {
  /// The operator's name, or the subject's.
  var what: String
  /// The shares of its time that it was starved, working, blocked.
  var time: [Double] = [0, 0, 0]
  /// Values that came, went on, and were dropped, a second.
  var came = 0.0
  var went = 0.0
  var lost = 0.0
  /// Those of the lost ones that its closure had no answer for, a second, and why it had none last.
  var failed = 0.0
  var reason: String?
  /// Whether it publishes ticks.
  var isTimer = false
  /// The rates of all streams and runs of the pipeline together; nil if only this one counts.
  var all: StageRates?
  /// Values inside now.
  var held = 0
  /// Publishers at work, and how many there may be; `nil` where it makes none, or without limit.
  var publishers: Int?
  var limit: Int?
  /// Of a subject: values that wait with its publishers.
  var waiting = 0
  /// The services that its publishers ask.
  var services: [RecentService] = []

  /// The rates that the sentences show.
  var rates: StageRates { all ?? StageRates(came: came, went: went, lost: lost, failed: failed) }

  var isBlocked: Bool { time[StageState.blocked.rawValue] >= 0.5 }

  /// Whether what it has lost was asked for all the while: it came too late.
  var isLate: Bool { isTimer && lost > 0 && time[StageState.blocked.rawValue] == 0 }

  /// What it did most of the time, as a letter.
  var letter: Character {
    let most = time.indices.max { time[$0] < time[$1] } ?? 0
    return ["s", "w", "b"][most]
  }
}

/// How many values a second came to a stage, left it and were dropped by it in the last seconds; and how
/// many of the dropped ones its closure had no answer for.
struct StageRates: Equatable {
  var came = 0.0
  var went = 0.0
  var lost = 0.0
  var failed = 0.0

  init(came: Double = 0, went: Double = 0, lost: Double = 0, failed: Double = 0) {
    (self.came, self.went, self.lost, self.failed) = (came, went, lost, failed)
  }

  /// The rates of a whole pipeline: into its first stage, out of its last one, and dropped by all.
  init?(ofAll stages: [StageRates]) {
    guard let first = stages.first, let last = stages.last else { return nil }
    self.init(came: first.came, went: last.went, lost: stages.reduce(0) { $0 + $1.lost })
  }
}

/// A service that a stage asks, as it is now.
struct RecentService {
  let name: String
  let workers: Int
  /// Calls that wait for a worker, and calls that workers are at.
  let waiting: Int
  let running: Int
  /// Whether no worker takes a call more.
  let isFull: Bool
  /// Whether workers of other servers could answer as well.
  var isShared = false
}

/// Whoever reads what a run makes.
struct RunEnd {
  /// Who that is: `client 7 (billing)`, or `the subject totals`.
  let label: String
  /// What runs for it: `CLIENT.ID`; `nil` for a run.
  var stream: String?
  /// For how long it has asked for nothing while something was there, in milliseconds.
  var stalled: Int?
  /// Whether it has asked, but does not read what it was sent.
  var isUnread = false
}

/// Whose subscription a subject waits for, and where that reads it.
struct SlowReader: Equatable {
  /// The pipeline, run or subject that it reads by.
  let name: String
  /// `client 7 (billing)`, or `run sums`.
  let label: String
  /// `CLIENT.ID`; `nil` for a run, and for a reader of another server.
  let stream: String?
  /// The run that reads it, if it is one.
  var run: String?

  /// The names in `label` and `name`.
  var mentions: [String] { [name, run].compactMap(\.self) }

  /// The label if this is a client.
  var person: String? { stream == nil ? nil : label }
}

extension StageDescription {
  /// What a sentence calls it: its operator, or its subject.
  var what: String { name ?? text }
}
