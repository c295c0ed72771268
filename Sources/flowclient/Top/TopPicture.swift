import FlowWire

/// The figures of a server, from the samples of the last seconds.
struct TopPicture {
  private(set) var topology: WatchTopology?
  /// The samples, the newest last.
  private var samples: [WatchSample] = []

  /// The period of the server's rates and of a stage's shares of time, in milliseconds; the server
  /// reports rates of names over the same period.
  private static let span = 4000

  var sample: WatchSample? { samples.last }

  /// Whether there is a verdict, and enough time between samples for rates.
  var isReady: Bool { sample?.isJudged == true && seconds(since: samples.first) >= 0.9 }

  mutating func add(_ answer: WatchAnswer) {
    let sample = answer.sample
    let isRestarted =
      answer.topology.map { $0.started != topology?.started && topology != nil } ?? false
    if let topology = answer.topology { self.topology = topology }
    if let last = samples.last, isRestarted || sample.at < last.at { samples = [] }
    if samples.last?.at == sample.at { samples.removeLast() }
    samples.append(sample)
    while samples.count > 2, sample.at - samples[0].at > Self.span { samples.removeFirst() }
  }

  private func seconds(since old: WatchSample?) -> Double {
    guard let old, let sample else { return 0 }
    return Double(sample.at - old.at) / 1000
  }

  /// Returns the growth of a counter per second, over the known samples.
  private func rate(_ counter: (WatchSample) -> Int) -> Double? {
    guard let old = samples.first, let sample, sample.at > old.at else { return nil }
    return max(0, Double(counter(sample) - counter(old)) / seconds(since: old))
  }

  // MARK: The server

  /// The newest sample, if it has figures of the whole server.
  var server: WatchSample? { sample.flatMap { $0.tellsServer ? $0 : nil } }

  var came: Double? { server == nil ? nil : rate(\.came) }
  var went: Double? { server == nil ? nil : rate(\.went) }

  // MARK: Names

  struct NameRow {
    let sample: WatchSample.Name
    let kind: String

    var name: String { sample.name }
    var came: Double? { sample.rates?.came }
    var went: Double? { sample.rates?.went }
    var lost: Double? { sample.rates?.lost }
    var isLosing: Bool { (lost ?? 0) > 0 }
    /// Whether it is held up; if a subject is well but loses values, its reader's own row shows the
    /// problem.
    var isHeldUp: Bool {
      (isLosing && kind != "subject")
        || ["leaves-out", "failed", "client", "stage", "elsewhere", "busy"].contains(sample.code)
    }

    /// The verdict in a word or two; reports for programs have its code.
    var verdict: String {
      switch sample.code {
      case "leaves-out": "leaves out"
      case "client", "stage", "elsewhere": "held up"
      case "well" where isLosing: "losing"
      case "asleep": "no reader"
      default: sample.code
      }
    }

    /// The reader, stage or server that holds it up; empty if none does.
    var culprit: String {
      guard sample.who.isEmpty else { return sample.who }
      return switch sample.code {
      case "client": "its reader"
      case "stage", "leaves-out": "a stage"
      case "elsewhere": "another reader"
      case "busy": "the server"
      default: ""
      }
    }

    /// The severity of the verdict, for sorting.
    fileprivate var badness: Int {
      let order = [
        "asleep", "well", "quiet", "busy", "elsewhere", "stage", "client", "leaves-out", "failed",
      ]
      return (isHeldUp ? isLosing ? 200 : 100 : 0) + (order.firstIndex(of: sample.code) ?? 0)
    }
  }

  func names(by sort: TopSort) -> [NameRow] {
    guard let sample else { return [] }
    let rows = sample.names.values.map { name in
      NameRow(sample: name, kind: topology?.kinds[name.name] ?? "")
    }
    func key(_ row: NameRow) -> Double {
      switch sort {
      case .verdict: Double(row.badness)
      case .name: 0
      case .in: row.came ?? 0
      case .out: row.went ?? 0
      case .drops: Double(row.sample.dropped)
      case .lost: row.lost ?? 0
      case .subscriptions: Double(row.sample.subscriptions)
      }
    }
    return rows.map { (key($0), $0) }
      .sorted { ($1.0, $0.1.name) < ($0.0, $1.1.name) }
      .map(\.1)
  }

  // MARK: The watched name

  struct StageRow {
    let text: String
    let op: String
    let sample: WatchSample.Stage
    let holds: Int?
    let holdsNothing: Bool
    let limit: Int?
    /// The percentages of time starved, working and blocked.
    let shares: [Int]?

    var came: Double? { sample.rates?.came }
    var went: Double? { sample.rates?.went }
    var lost: Double? { sample.rates?.lost }
  }

  /// Returns the figures of a name, or of one subscription of it; nil before the first answer.
  func watched(_ name: String, _ stream: StreamPlace? = nil) -> WatchSample.Watched? {
    sample?.watched(name, stream)
  }

  /// Returns the known subscriptions that run the watched pipeline.
  func streams(of name: String) -> [StreamPlace] {
    guard topology?.kinds[name] == "pipeline", let watched = sample?.watched, watched.name == name
    else { return [] }
    return watched.readers?.compactMap(\.place) ?? []
  }

  func stages(of name: String, _ stream: StreamPlace? = nil) -> [StageRow] {
    guard let watched = watched(name, stream) else { return [] }
    let texts = topology?.watched == name ? topology?.stages ?? [] : []
    // The server's figures are sums over all runs; a stage's limit is that of one run.
    let runs = watched.readers == nil || stream != nil ? 1 : max(1, watched.readerCount)
    return watched.stages.enumerated().map { place, stage in
      let text = place < texts.count ? texts[place] : nil
      return StageRow(
        text: text?.text ?? "",
        op: text?.op ?? "",
        sample: stage,
        holds: text?.holds.map { Self.product($0, runs) },
        holdsNothing: text?.holdsNothing ?? true,
        limit: text?.publishers.map { Self.product($0, runs) },
        shares: shares(of: name, stream, place, stage.looks)
      )
    }
  }

  private static func product(_ a: Int, _ b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? .max : product
  }

  private func shares(
    of name: String,
    _ stream: StreamPlace?,
    _ place: Int,
    _ looks: [Int]
  ) -> [Int]? {
    guard looks.count == 3 else { return nil }
    let old = samples.lazy.compactMap { $0.watched(name, stream) }.first?.stages
    var recent = looks
    if let old, place < old.count, old[place].looks.count == 3 {
      let differences = zip(looks, old[place].looks).map(-)
      if differences.allSatisfy({ $0 >= 0 }), differences.contains(where: { $0 > 0 }) {
        recent = differences
      }
    }
    return Self.percents(recent)
  }

  /// Converts counts to whole percentages with a sum of 100; nil if all are 0.
  static func percents(_ counts: [Int]) -> [Int]? {
    let sum = counts.reduce(0, +)
    guard sum > 0 else { return nil }
    let exact = counts.map { Double($0) * 100 / Double(sum) }
    var percents = exact.map { Int($0) }
    let order = exact.indices.sorted {
      exact[$0] - Double(percents[$0]) > exact[$1] - Double(percents[$1])
    }
    for place in order.prefix(100 - percents.reduce(0, +)) { percents[place] += 1 }
    return percents
  }
}

extension WatchSample {
  /// Returns the figures of a name, or of one subscription; nil if the sample is about another.
  fileprivate func watched(_ name: String, _ stream: StreamPlace?) -> Watched? {
    watched.flatMap { $0.name == name && $0.stream == stream ? $0 : nil }
  }
}
