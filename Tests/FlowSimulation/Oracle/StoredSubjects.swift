/// What is known of subjects in NATS from what clients said and heard, and from what NATS was made to lose.
///
/// A value that was answered `OK send NAME seq=N` comes once to each subscription that was open before it was said, in
/// the order of the stream, unless NATS has lost it, which is told.
final class StoredSubjects {
  /// Returns the time in nanoseconds.
  var now: () -> UInt64 = { 0 }
  var complain: (String) -> Void = { _ in }

  /// A value that was said.
  struct Sending {
    let subject: String
    let text: String
    let incarnation: Int
    /// How many values were said to all subjects until then.
    let number: Int
    let server: Server
  }

  /// One life of one of the servers.
  struct Server: Equatable {
    let isSecond: Bool
    let life: Int
  }

  private struct Value {
    let sending: Sending
    let place: Int?
    /// When the answer was heard.
    let time: UInt64
  }

  private struct Subject {
    let isSlowest: Bool
    /// Counts deletions and definitions.
    var incarnation = 0
    /// Whether it was deleted, or may have been.
    var isGone = false
    var isDeleted = false
    var values: [String: Value] = [:]
    /// When NATS lost something of it, first.
    var lossTime: UInt64?
    var lost: Set<String> = []
    var durables: [String: Durable] = [:]
    /// The subject whose values a run puts into it, and how many had been said when that began.
    var source: (name: String, after: Int)?
    /// Whether these are the values that the run has no answer for, as dead letters.
    var hasLetters = false
  }

  private struct Durable {
    /// How many values had been said when it was first open.
    var openedAfter: Int?
    var come: Set<String> = []
    var acknowledged: [String: (time: UInt64, by: StoredReading)] = [:]
    /// Whether more was acknowledged than had come.
    var isLoose = false
  }

  /// What a run adds to each value that it passes on.
  static let step = 1_000_000

  private var subjects: [String: Subject] = [:]
  private var lives = [false: 0, true: 0]
  private var said = 0
  private var troubles: [ClosedRange<UInt64>] = []

  // MARK: What there is

  func defines(_ name: String, _ line: String) {
    if subjects[name] == nil { subjects[name] = Subject(isSlowest: line.contains("flow=slowest")) }
  }

  /// Somebody asks for the subject to be deleted.
  func mayDelete(_ name: String) {
    guard subjects[name] != nil else { return }
    subjects[name]?.isGone = true
    subjects[name]?.isDeleted = false
    subjects[name]?.incarnation += 1
  }

  func isDeleted(_ name: String) { subjects[name]?.isDeleted = true }

  /// It is defined; if it had been deleted, it is a new one.
  func isDefined(_ name: String) {
    guard let old = subjects[name], old.isDeleted else { return }
    subjects[name] = Subject(isSlowest: old.isSlowest, incarnation: old.incarnation + 1)
  }

  /// A run like `RUN r failed=c = a.map { $0 + 1000000 }.assign(to: b)` has begun.
  func runs(_ line: String) {
    var words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)[...]
    guard words.count > 4, let target = words.popLast() else { return }
    words = words.dropFirst(2)
    var letters: String?
    if words.first == "failed" {
      letters = words.dropFirst().first
      words = words.dropFirst(2)
    }
    guard let source = words.first, subjects[source] != nil else { return }
    subjects[target]?.source = (source, said)
    guard let letters else { return }
    subjects[letters]?.source = (source, said)
    subjects[letters]?.hasLetters = true
  }

  // MARK: What happens

  private static let second: UInt64 = 1_000_000_000

  /// For so many milliseconds, and a while longer, what is said may not get to NATS.
  func isTroubled(for milliseconds: Int = 0) {
    troubles.append(now()...now() + UInt64(milliseconds) * 1_000_000 + 15 * Self.second)
  }

  func isKilled(second isSecond: Bool) { lives[isSecond, default: 0] += 1 }

  func loses(_ texts: [String], of name: String) {
    if subjects[name]?.lossTime == nil { subjects[name]?.lossTime = now() }
    subjects[name]?.lost.formUnion(texts)
  }

  private func server(_ isSecond: Bool) -> Server {
    Server(isSecond: isSecond, life: lives[isSecond] ?? 0)
  }

  private func isCalm(from start: UInt64, to end: UInt64) -> Bool {
    !troubles.contains { $0.overlaps(start...end) }
  }

  // MARK: What is said

  /// A value is said; nil if the subject is not in NATS, or may be gone.
  func says(_ text: String, to name: String, atSecond: Bool) -> Sending? {
    said += 1
    guard let subject = subjects[name], !subject.isGone else { return nil }
    return Sending(
      subject: name,
      text: text,
      incarnation: subject.incarnation,
      number: said,
      server: server(atSecond)
    )
  }

  func isStored(_ sending: Sending, at place: Int?) {
    guard let subject = subjects[sending.subject], subject.incarnation == sending.incarnation
    else { return }
    let value = Value(sending: sending, place: place, time: now())
    subjects[sending.subject]?.values[sending.text] = value
  }

  /// A stream of the subject is asked for; nil if that is not in NATS.
  func reading(of name: String, durable: String?, atSecond: Bool) -> StoredReading? {
    guard let subject = subjects[name] else { return nil }
    return StoredReading(name, subject.incarnation, durable, server(atSecond))
  }

  func opens(_ reading: StoredReading) {
    reading.openedAfter = said
    guard let name = reading.durable else { return }
    change(reading) { subject in
      subject.durables[name, default: Durable()].openedAfter =
        subject.durables[name]?.openedAfter ?? said
    }
  }

  /// Changes the subject of `reading`, unless that is another one by now.
  private func change(_ reading: StoredReading, _ change: (inout Subject) -> Void) {
    guard var subject = subjects[reading.subject], subject.incarnation == reading.incarnation
    else { return }
    change(&subject)
    subjects[reading.subject] = subject
  }

  /// The client says that it needs the `count` oldest values no more that have come.
  func acknowledges(_ count: Int?, on reading: StoredReading) {
    guard let name = reading.durable, let count, count > 0 else { return }
    let old = reading.given.prefix(count)
    reading.given.removeFirst(old.count)
    change(reading) { subject in
      if old.count < count { subject.durables[name]?.isLoose = true }
      for text in old where subject.durables[name]?.acknowledged[text] == nil {
        subject.durables[name]?.acknowledged[text] = (now(), reading)
      }
    }
  }

  /// The stream has ended, or its connection.
  func ends(_ reading: StoredReading) { reading.end = reading.end ?? now() }

  // MARK: What is heard

  /// Returns what is wrong with a value, if anything is.
  func hears(_ text: String, on reading: StoredReading) -> String? {
    guard reading.seen.insert(text).inserted else { return "\(text) comes twice" }
    guard let name = reading.durable else { return nil }
    reading.given.append(text)
    var problem: String?
    change(reading) { subject in
      let before = subject.durables[name]?.acknowledged[text]
      if subject.lossTime == nil, let before, before.by !== reading,
        wasHeard(before.time, before.by)
      {
        problem = "\(text) comes again, though it was acknowledged"
      }
      subject.durables[name, default: Durable()].come.insert(text)
    }
    return problem
  }

  /// Whether there was time enough for NATS to hear what was acknowledged at `time`.
  private func wasHeard(_ time: UInt64, _ reading: StoredReading) -> Bool {
    let heard = time + 10 * Self.second
    return isCalm(from: time, to: heard) && heard < reading.end ?? now()
  }

  /// Returns what is wrong with a DROP, if anything is.
  func drops(_ count: Int, _ reason: String, on reading: StoredReading) -> String? {
    guard reason == "gap" else { return nil }
    reading.gaps += count
    var problem: String?
    change(reading) { if $0.lossTime == nil { problem = "a gap, and NATS has lost nothing" } }
    return problem
  }

  // MARK: What has to come

  /// The stream is open and has demand, after there was time enough; if `isUnlimited`, it misses nothing for want of
  /// demand, whatever the subject is like.
  func check(_ come: [String], on reading: StoredReading, by client: String, isUnlimited: Bool) {
    guard let subject = subjects[reading.subject], !subject.isGone,
      subject.incarnation == reading.incarnation, let openedAfter = reading.openedAfter
    else { return }
    let who = "\(client) reads \(reading.subject)"
    if let (name, after) = subject.source {
      let start = max(after, openedAfter)
      return checkRun(come, from: name, start, who, letters: subject.hasLetters)
    }
    checkOrder(come, by: subject.values, subject.lossTime, who)
    guard subject.isSlowest || isUnlimited || reading.durable != nil else { return }
    let durable = reading.durable.flatMap { subject.durables[$0] }
    if durable?.isLoose ?? false { return }
    let all = durable?.come ?? Set(come)
    let start = durable?.openedAfter ?? openedAfter
    let missing = subject.values.values.filter { value in
      value.sending.number > start && value.time < subject.lossTime ?? .max
        && !all.contains(value.sending.text)
    }
    let texts = missing.map(\.sending.text).sorted()
    if let text = texts.first(where: { !subject.lost.contains($0) }) {
      return complain("\(who): \(text) is stored, and has not come")
    }
    // What other servers have stored this one may not have heard of.
    let known = missing.count { $0.sending.server == reading.server }
    if durable == nil, reading.gaps < known {
      complain("\(who): \(known) values are lost, and \(reading.gaps) told as gaps")
    }
  }

  private func checkOrder(
    _ come: [String],
    by values: [String: Value],
    _ lossTime: UInt64?,
    _ who: String
  ) {
    guard lossTime == nil else { return }
    var last = 0
    for text in come {
      guard let place = values[text]?.place else { continue }
      if place <= last { return complain("\(who): \(text), which is at \(place), behind \(last)") }
      last = place
    }
  }

  /// Checks what a run makes of the values of the subject called `name`: of numbers other numbers, of texts
  /// dead letters.
  private func checkRun(
    _ come: [String],
    from name: String,
    _ after: Int,
    _ who: String,
    letters: Bool
  ) {
    guard let source = subjects[name], source.lossTime == nil, !source.isGone else { return }
    let inputs =
      letters
      ? come.compactMap(Self.value(of:)) : come.compactMap { Int($0) }.map { "\($0 - Self.step)" }
    if inputs.count < come.count { complain("\(who): something else comes than the run makes") }
    checkOrder(inputs, by: source.values, nil, who)
    let all = Set(inputs)
    let missing = source.values.values.filter { value in
      value.sending.number > after && (Int(value.sending.text) == nil) == letters
        && !all.contains(value.sending.text)
    }
    if let text = missing.map(\.sending.text).min() {
      complain("\(who): \(text) of \(name) is stored, and what the run makes of it has not come")
    }
  }

  /// The value in a dead letter.
  private static func value(of letter: String) -> String? {
    let start = "{\"value\":"
    guard letter.hasPrefix(start), let end = letter.firstRange(of: ",\"stage\":")?.lowerBound,
      letter.contains("\"reason\":\"cannot apply ")
    else { return nil }
    return String(letter.dropFirst(start.count).prefix(upTo: end))
  }

  /// What a server tells of a subject agrees with what NATS has lost.
  func check(row: String, of name: String, bySecond isSecond: Bool) {
    guard let subject = subjects[name], !subject.isGone else { return }
    let isLost = row.contains(" nats=lost")
    let server = server(isSecond)
    let isKnown = subject.values.values.contains {
      $0.sending.server == server && subject.lost.contains($0.sending.text)
    }
    let who = isSecond ? "the second server" : "the server"
    if isLost, subject.lossTime == nil { complain("\(who): NATS has lost nothing: \(row)") }
    if isKnown, !isLost { complain("\(who): values of \(name) are lost: \(row)") }
  }

  /// The names of those that may be there.
  var names: [String] { subjects.keys.sorted() }
}
