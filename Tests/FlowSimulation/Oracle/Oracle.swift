/// What is true of all connections together.
final class Oracle {
  private(set) var complaints: [String] = []
  /// What was tried, and how often.
  private(set) var coverage: [String: Int] = [:]
  private var published: [String: [String: Value]] = [:]
  private var counts: [String: Int] = [:]

  private struct Value {
    var publisher: String
    var number: Int
    var times: Int
  }

  func complain(_ what: String) { complaints.append(what) }

  func cover(verb line: String, state: String) {
    let verb = line.split(separator: " ").first { !$0.hasPrefix("@") }?.uppercased() ?? ""
    coverage["\(verb.prefix(8)) × \(state)", default: 0] += 1
  }

  func cover(_ event: String) { coverage[event, default: 0] += 1 }

  /// Something has come of a stream: what each of its operators has been through.
  func cover(_ event: String, of record: StreamRecord) {
    for name in record.operators { cover("\(name) × \(event)") }
  }

  // MARK: Tokens

  /// What each token is good for when the server begins; empty where nobody is asked.
  let tokens: [String: TokenRule]
  /// Whether others have come, which count from a moment that nobody outside knows.
  private(set) var tokensHaveChanged = false

  init(tokens: [String] = []) {
    self.tokens = TokenRule.all(tokens)
    stored.complain = { [unowned self] in complain($0) }
  }

  func changesTokens() {
    tokensHaveChanged = true
    isUnsteady = true
  }

  // MARK: Subjects

  /// Those in NATS, of which several servers tell.
  let stored = StoredSubjects()

  /// Subjects that runs send to: what comes from them is not known here.
  private var mixed: Set<String> = []

  func defines(run line: String) {
    for part in line.split(whereSeparator: { "()= ".contains($0) }).map(String.init) {
      mixed.insert(part)
    }
    let words = line.split(separator: " ").drop { $0.uppercased() != "RUN" }
    if let name = words.dropFirst().first { definedRuns[String(name), default: 0] += 1 }
  }

  /// How often somebody has asked for each run, by its name.
  private(set) var definedRuns: [String: Int] = [:]

  /// Subjects with values of several lines.
  private var lined: Set<String> = []

  /// Whether a value of several lines may come of what reads `expression`: of a pipeline, if of any subject.
  func hasLines(_ expression: String) -> Bool {
    lined.contains(expression) || !lined.isEmpty && published[expression] == nil
  }

  /// How many values were said to all subjects.
  private(set) var sent = 0

  func publishes(_ text: String, to subject: String, by publisher: String) {
    sent += 1
    if text.contains("\n") { lined.insert(subject) }
    traffic[subject, default: SubjectTraffic()].says()
    counts["\(subject) \(publisher)", default: 0] += 1
    let number = counts["\(subject) \(publisher)"] ?? 0
    let times = (published[subject]?[text]?.times ?? 0) + 1
    if times > 1 { unsettles(subject) }
    published[subject, default: [:]][text] = Value(
      publisher: publisher,
      number: number,
      times: times
    )
  }

  /// A stream of a subject got a value; returns what is wrong with it.
  func hears(_ text: String, by client: String, of record: StreamRecord) -> String? {
    let subject = record.expression
    guard let values = published[subject], !record.isDoubtful, !mixed.contains(subject) else {
      return nil
    }
    guard let value = values[text] else {
      // The end of input may cut a line.
      if initial.contains(text) || values.keys.contains(where: { $0.hasPrefix(text) }) {
        return nil
      }
      return "\(text.prefix(80).debugDescription), which nobody has sent"
    }
    // What was sent twice has no place of its own.
    guard value.times == 1 else { return nil }
    let place = record.places[value.publisher]
    let isNext = place.map { value.number == $0.upperBound + 1 } ?? false
    if !isNext, mayBeCut(text, values) { return nil }
    let first = place?.lowerBound ?? value.number
    record.places[value.publisher] = first...max(value.number, place?.upperBound ?? 0)
    guard let place else { return nil }
    if value.number <= place.upperBound {
      return "number \(value.number) of \(value.publisher) after number \(place.upperBound)"
    }
    if isUnsteady || unsteady.contains(subject) || !record.isToldOfDrops { return nil }
    if slowest.contains(subject), record.holds {
      // What is fed is neither refused nor missed.
      return value.publisher.hasSuffix(" feed") && !isNext
        ? "number \(value.number) of \(value.publisher) after \(place.upperBound), and nothing told"
        : nil
    }
    let sent = record.places.values.reduce(0) { $0 + $1.upperBound - $1.lowerBound + 1 }
    let told = record.values.count + 1 + record.dropped
    return told < sent
      ? "\(told) values came or were dropped, of at least \(sent) that were sent" : nil
  }

  /// Whether a value may be the beginning of a fed line that the end of input has cut.
  private func mayBeCut(_ text: String, _ values: [String: Value]) -> Bool {
    values.contains { line, value in
      line != text && line.hasPrefix(text) && value.publisher.hasSuffix(" feed")
    }
  }

  // MARK: What has to come

  /// A value that the server has taken, or has to take.
  struct Sent {
    let text: String
    /// How many were said before it.
    let number: Int
  }

  private var owed: [(subject: String, value: Sent)] = []
  private var readers: [(name: String, record: StreamRecord)] = []

  /// Whoever reads `subject` and has demand in the end gets these, if nothing may be missed there.
  func owes(_ values: [Sent], of subject: String) {
    guard slowest.contains(subject), !unsteady.contains(subject), !mixed.contains(subject) else {
      return
    }
    owed += values.map { (subject, $0) }
  }

  /// A stream that is open and has demand left.
  func expects(_ record: StreamRecord, by client: String) { readers.append((client, record)) }

  func checkDeliveries() {
    guard !isUnsteady else { return }
    for (name, record) in readers {
      let come = Set(record.values)
      for (subject, value) in owed where record.holds && subject == record.expression {
        guard value.number >= record.openedAfter, !come.contains(value.text),
          published[subject]?[value.text]?.times == 1
        else { continue }
        return complain("\(name) has demand left for \(subject), and \(value.text) has not come")
      }
    }
  }

  /// Subjects where nothing is missed.
  private var slowest: Set<String> = []
  /// Subjects that may have been away for a while, so that values were refused.
  private var unsteady: Set<String> = []

  func defines(subject line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1 else { return }
    if line.contains(" on=nats") {
      stored.defines(words[1], line)
      unsettles(words[1])
    }
    if line.contains("flow=slowest") { slowest.insert(words[1]) }
    let number = words.firstIndex(of: "replay").flatMap { Int(words[$0 + 1]) }
    traffic[words[1], default: SubjectTraffic()].kept =
      number ?? (words.contains("current") ? 1 : 0)
  }

  func unsettles(_ subject: String) { unsteady.insert(subject) }

  /// Whether the server may turn away whoever comes, and how often it might.
  private(set) var isShortOfMemory = false
  private(set) var shortages = 0

  func isShortOfMemory(_ isShort: Bool) {
    isShortOfMemory = isShort
    guard isShort else { return }
    shortages += 1
    isUnsteady = true
  }

  /// Whether values may have been refused for reasons that no client knows.
  var isUnsteady = false

  /// What subjects begin with.
  private let initial: Set<String> = ["0"]

  // MARK: Accounts

  private(set) var traffic: [String: SubjectTraffic] = [:]

  /// Whether all that happens to a subject is known.
  func knows(_ subject: String) -> Bool {
    !isUnsteady && !unsteady.contains(subject) && !mixed.contains(subject)
  }

  func mayStall(_ subject: String) -> Bool { slowest.contains(subject) }

  func settles(_ count: Int, of subject: String) {
    traffic[subject, default: SubjectTraffic()].settles(count)
  }

  func follows(_ record: StreamRecord, _ change: (inout SubjectTraffic) -> Void) {
    change(&traffic[record.expression, default: SubjectTraffic()])
  }

  /// Subjects are read by `expression`, and not by their names only.
  func mentions(_ expression: String) {
    for word in expression.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
      traffic[String(word), default: SubjectTraffic()].isReadByName = false
    }
  }

  /// A stream was cancelled when so many values were settled, and told how much it has missed: all
  /// that was published meanwhile has come, was dropped or was missed.
  func accounts(_ record: StreamRecord, missed: Int, settled: Int, by client: String) {
    guard missed >= 0 else { return complain("\(client): missed \(missed)") }
    let subject = record.expression
    guard let traffic = traffic[subject], published[subject] != nil, knows(subject) else { return }
    let total = record.values.count + record.dropped + missed
    let least = settled - record.saidBefore - traffic.kept
    let most = traffic.said - record.settledBefore + traffic.kept
    if total < least || total > most {
      complain("\(client): \(total) of \(subject) came or were missed, of \(least) to \(most)")
    }
  }

  /// What is told of a subject at the end, when all is settled.
  func checkPublished(_ subject: String, _ count: Int) {
    guard let traffic = traffic[subject], knows(subject) else { return }
    if count < traffic.settled || count > traffic.said {
      complain("\(subject): \(count) published, of \(traffic.settled) to \(traffic.said)")
    }
  }
}
