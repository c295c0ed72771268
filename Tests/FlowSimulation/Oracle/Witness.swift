/// Hears all that one connection says and is told, and knows what it may be told: protocol.md as code,
/// without a line of the server's.
final class Witness {
  let name: String
  private unowned let oracle: Oracle
  private let model: ActorModel
  /// Has the client say something of its own accord.
  private let react: (_ line: String, _ afterMicroseconds: Int) -> Void

  private var isFramed = false
  private var isGreeted = false
  private(set) var farewell: String?
  private var mode = Mode.commands
  private var expected: [Expected] = []
  private(set) var streams: [String: StreamRecord] = [:]
  private var unnamed: [StreamRecord] = []
  private var highest = 0
  /// What came on streams whose numbers are not told yet.
  private var early: [String: [(StreamRecord) -> String?]] = [:]
  private var publications: [String: PublicationRecord] = [:]
  private var workers: [String: WorkerRecord] = [:]
  private var calls: [String: StreamRecord] = [:]
  /// FEEDs that have taken fewer lines than were said, or more.
  private var short: [String] = []
  /// Whether the server asks for a token, and the last right one that was said.
  private var isAsked = false
  private var token: String?
  /// What a TAIL reads.
  private var tail: StreamRecord?

  private enum Mode {
    case commands
    /// With no subject all is refused.
    case feed(subject: String?)
    case tail
  }

  /// An answer that is to come.
  private struct Expected {
    var tag: String
    /// The word behind `OK`; `pong` for that.
    var verb: String
    var line: String
    var stream: StreamRecord?
    var publication: (id: String, record: PublicationRecord)?
    var worker: (id: String, record: WorkerRecord)?
    var rows = 0
    /// What had been asked for in all when a REQ was said.
    var askedThen: Int?
    /// The lines of a FEED.
    var lines = 0
    /// Which stream it cancels, by what stands there.
    var cancelled: String?
    /// How many values of the stream's subject were settled when it was cancelled.
    var settled = 0
    /// The subject of a SEND, and who read it.
    var readers: (subject: String, then: SubjectTraffic.Readers)?
    var fed: [Oracle.Sent] = []
    /// Whether the token allows it; nil if that is not known.
    var isAllowed: Bool?
    /// The value of a SEND, if its subject is in NATS.
    var sending: StoredSubjects.Sending?
  }

  private final class PublicationRecord {
    let subject: String
    let limit: Int
    var granted = 0
    var isUnlimited = false
    var sent = 0
    var isEnded = false
    /// What was said while it was open and held what is too much.
    var kept: [Oracle.Sent] = []
    /// Whether no more was said than had been granted.
    var isObedient = true
    /// Whether all of that is to be published.
    var isSure = false

    init(_ subject: String, limit: Int) {
      self.subject = subject
      self.limit = limit
    }
  }

  private final class WorkerRecord {
    let service: String
    var asked: Int? = 0
    var calls = 0
    var lastCall = 0
    var isEnded = false

    init(_ service: String) { self.service = service }

    func ask(_ demand: String) { asked = StreamRecord.sum(of: asked, and: demand) }
  }

  init(
    _ model: ActorModel,
    _ oracle: Oracle,
    react: @escaping (_ line: String, _ afterMicroseconds: Int) -> Void
  ) {
    name = model.name
    self.model = model
    self.oracle = oracle
    self.react = react
    cameInShortage = oracle.isShortOfMemory
    shortagesBefore = oracle.shortages
  }

  /// Whether memory was short when he came, and how often it had been by then.
  private let cameInShortage: Bool
  private let shortagesBefore: Int

  private func complain(_ what: String) { oracle.complain("\(name): \(what)") }

  // MARK: What is said

  /// Nothing more is said.
  private var endsInput = false
  /// Whether a QUIT is said, so that the connection may close as soon as what is asked for has come.
  private var hasQuit = false

  func endInput() {
    endsInput = true
    standsAlone()
  }

  /// He says what means nothing, so that nothing of what he is told can be judged.
  var isBabbling = false {
    didSet {
      standsAlone()
      for publication in publications.values { oracle.unsettles(publication.subject) }
      if case .feed(let subject?) = mode { oracle.unsettles(subject) }
    }
  }

  func says(_ line: String) {
    if isBabbling { return }
    if case .commands = mode { oracle.cover(verb: line, state: state) }
    switch mode {
    case .tail: return
    case .feed(let subject):
      if line == "." {
        mode = .commands
      } else {
        if let last = expected.indices.last {
          expected[last].lines += 1
          expected[last].fed.append(.init(text: line, number: oracle.sent))
        }
        if let subject { oracle.publishes(line, to: subject, by: "\(name) feed") }
      }
      return
    case .commands: break
    }
    var text = Substring(line)
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    if text.isEmpty || text.hasPrefix("#") { return }
    if line.hasPrefix("= ") || line.hasPrefix(": ") { return saysValue(line) }
    var tag = ""
    if text.hasPrefix("@") {
      let end = text.firstIndex { $0 == " " } ?? text.endIndex
      tag = String(text[text.index(after: text.startIndex)..<end])
      text = text[end...]
      while text.first == " " { text.removeFirst() }
      let isTag =
        (1...32).contains(tag.count)
        && tag.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
      if !isTag || text.isEmpty { return expect("usage", tag: isTag ? tag : "", line) }
    }
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    guard let verb = words.first?.uppercased() else { return }
    let count = expected.count
    defer { if expected.count > count { expected[count].isAllowed = isAllowed(verb, words) } }
    let target = words.count > 1 ? words[1] : ""
    let isID = target.first.map(\.isNumber) ?? false
    switch verb {
    case "PING": expect("pong", tag: tag, line)
    case "HELLO":
      expect("hello", tag: tag, line)
      if words.count > 1, words[1] == "1", !isFramed { isFramed = true }
    case "SUB", "TAKE": opens(verb, line, Array(words.dropFirst()), tag)
    case "REQ":
      if words.count > 2 {
        asks(target, words[2])
        // The stream fails; its client hears of that later.
        if words[2].hasPrefix("-") || Int(words[2]) == 0, isID, let record = streams[target] {
          oracle.follows(record) { $0.mayEnd(record) }
        }
      }
      signal("req", tag, line, isSignal: true)
    case "CANCEL":
      var entry = Expected(tag: tag, verb: "cancel", line: line)
      entry.stream = isID ? streams[target] : nil
      entry.cancelled = target
      if let record = entry.stream {
        record.hasCancelled = true
        record.reading.map { oracle.stored.ends($0) }
        entry.settled = oracle.traffic[record.expression]?.settled ?? 0
        oracle.follows(record) { $0.mayEnd(record) }
      }
      workers[target]?.isEnded = true
      if !isID { standsAlone() }
      expected.append(entry)
    case "DONE", "FAIL":
      if isID {
        calls[target]?.hasCancelled = true
        publications[target]?.isEnded = true
      }
      signal(verb.lowercased(), tag, line, isSignal: isID)
    case "SEND":
      var sending: StoredSubjects.Sending?
      // TEXT begins after one blank, as typed.
      if let range = text.firstRange(of: "\(target) ") {
        let value = String(text[range.upperBound...])
        if publishes(to: target, verb, words) {
          oracle.publishes(value, to: target, by: "\(name) send")
          sending = oracle.stored.says(value, to: target, atSecond: model.isAtSecond)
        }
      }
      expect("send", tag: tag, line)
      expected[expected.count - 1].sending = sending
      if let then = oracle.traffic[target]?.readers {
        expected[expected.count - 1].readers = (target, then)
      }
    case "PUB":
      var entry = Expected(tag: tag, verb: "pub", line: line)
      let limit = words.number(of: "grant") ?? 64
      let record = PublicationRecord(target, limit: limit)
      if let id = words.value(of: "as") {
        forget(id)
        if publications[id] == nil || publications[id]?.isEnded == true {
          publications[id] = record
        }
        entry.publication = (id, record)
      }
      expected.append(entry)
    case "SERVE":
      var entry = Expected(tag: tag, verb: "serve", line: line)
      let record = WorkerRecord(target)
      if words.count > 2, !words[2].contains("=") { record.ask(words[2]) }
      if let id = words.value(of: "as") {
        forget(id)
        if workers[id] == nil || workers[id]?.isEnded == true { workers[id] = record }
        entry.worker = (id, record)
      }
      expected.append(entry)
    case "FEED":
      expect("feed", tag: tag, line)
      mode = .feed(subject: publishes(to: target, verb, words) ? target : nil)
    case "TAIL":
      mode = .tail
      let (expression, _) = Self.cut(words.dropFirst().joined(separator: " "))
      tail = StreamRecord(expression)
      tail?.ask("max")
      if isAsked, !holds { tail?.isToldOfDrops = false }
      oracle.mentions(expression)
      // With something open it is refused, and what is open is heard behind it.
      let isAlone = streams.isEmpty && unnamed.isEmpty && publications.isEmpty && workers.isEmpty
      tail?.isDoubtful = !isAlone
      for record in Array(streams.values) + unnamed { record.isDoubtful = true }
      standsAlone()
    case "SUBJECT", "DELETE", "KILL":
      // Of a name that may have been somebody else's nothing is known any more.
      for word in words.dropFirst() { oracle.unsettles(word) }
      if verb == "DELETE" { oracle.stored.mayDelete(target) }
      expect(verb.lowercased(), tag: tag, line)
    case "RUN":
      oracle.defines(run: line)
      oracle.mentions(line)
      expect("run", tag: tag, line)
    case "AUTH":
      if oracle.tokens[target] != nil { token = target }
      expect("auth", tag: tag, line)
    case "QUIT":
      hasQuit = true
      standsAlone()
      expect("quit", tag: tag, line)
    case "HELP", "PIPELINE", "LIST", "SHOW", "EXPLAIN",
      "STATS", "WATCH":
      expect(verb.lowercased(), tag: tag, line)
    default: expect("unknown", tag: tag, line)
    }
  }

  // MARK: What is allowed

  /// Whether the server has to take a command, or to refuse it, for what its token is good for.
  private func isAllowed(_ verb: String, _ words: [String]) -> Bool? {
    guard isAsked, !oracle.tokensHaveChanged else { return nil }
    guard let token else { return TokenRule.isFree(verb) }
    return oracle.tokens[token]?.allows(verb, words)
  }

  /// Whether subjects surely wait for a stream that is opened now.
  private var holds: Bool {
    !oracle.tokensHaveChanged && token.flatMap { oracle.tokens[$0] }?.holds == true
  }

  /// Whether what is sent to a subject counts.
  private func publishes(to subject: String, _ verb: String, _ words: [String]) -> Bool {
    guard isAsked else { return true }
    let isAllowed = isAllowed(verb, words)
    if isAllowed == nil { oracle.unsettles(subject) }
    return isAllowed ?? true
  }

  /// The id of what has ended is used for something else.
  private func forget(_ id: String) {
    if streams[id]?.end != nil { streams[id] = nil }
  }

  private func expect(_ verb: String, tag: String, _ line: String) {
    expected.append(Expected(tag: tag, verb: verb, line: line))
  }

  /// Signals are confirmed in typed mode, and when tagged.
  private func signal(_ verb: String, _ tag: String, _ line: String, isSignal: Bool) {
    guard !isSignal && verb != "req" || !isFramed || !tag.isEmpty else { return }
    expect(verb, tag: tag, line)
    let words = line.split(separator: " ").map(String.init)
    guard verb == "req", words.count > 1, let record = streams[words[words.count - 2]] else {
      return
    }
    expected[expected.count - 1].stream = record
    expected[expected.count - 1].askedThen = record.asked
  }

  private func saysValue(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    let id = String(parts[1])
    var text = parts.count > 2 ? String(parts[2]) : ""
    if line.hasPrefix(": "), let end = text.firstIndex(of: "\n") {
      text = String(text[text.index(after: end)...])
    }
    if let record = publications[id] {
      if !record.isUnlimited, record.sent >= record.granted { record.isObedient = false }
      record.sent += 1
      if !record.isEnded {
        record.kept.append(.init(text: text, number: oracle.sent))
      }
      oracle.publishes(
        text,
        to: record.subject,
        by: "\(name) \(id)"
      )
    }
    calls[id]?.said += 1
    if !isFramed { expect("value", tag: "", line) }
  }

  /// From now on nothing of what is open is sure to be.
  func standsAlone() {
    for record in Array(streams.values) + unnamed {
      oracle.follows(record) { $0.mayEnd(record) }
      record.reading.map { oracle.stored.ends($0) }
    }
  }

  private func opens(_ verb: String, _ line: String, _ words: [String], _ tag: String) {
    // An expression ends at the first blank outside brackets whose next character is not `.` or `{`.
    let (expression, rest) = Self.cut(words.joined(separator: " "))
    var entry = Expected(tag: tag, verb: verb.lowercased(), line: line)
    let record = StreamRecord(expression)
    let demand = rest.first.flatMap { $0.contains("=") ? nil : $0 }
    if let demand { record.ask(demand) }
    if verb == "TAKE" { record.takes = demand.flatMap { Int($0) } }
    let durable = rest.value(of: "durable")
    record.reading = oracle.stored.reading(
      of: expression,
      durable: durable,
      atSecond: model.isAtSecond
    )
    entry.stream = record
    if let id = rest.value(of: "as") {
      if let old = streams[id], old.end == nil || old.hasCancelled {
        record.isDoubtful = true
        old.isDoubtful = true
        if old.end == nil {
          old.takes = nil
          old.ask(demand ?? "0")
        }
        // While the old one may still be open both are one to us.
        if old.end != nil { streams[id] = record } else { entry.stream = old }
      } else {
        let isUsed = streams[id] != nil || workers[id] != nil || publications[id] != nil
        if isUsed || !unnamed.isEmpty { record.isDoubtful = true }
        streams[id] = record
      }
      highest = max(highest, Int(id) ?? 0)
    } else {
      unnamed.append(record)
    }
    expected.append(entry)
    if record.isOfName {
      record.settledBefore = oracle.traffic[expression]?.settled ?? 0
      oracle.follows(record) { $0.mayOpen(record) }
    } else {
      oracle.mentions(expression)
    }
  }

  private func asks(_ target: String, _ demand: String) {
    // Both, if the id was used anew and it is not known yet whether for good.
    if let record = streams[target] {
      record.ask(demand)
      record.reading.map { oracle.stored.acknowledges(Int(demand), on: $0) }
    }
    workers[target]?.ask(demand)
    if streams[target] == nil, workers[target] == nil {
      let meant = streams.values.filter { $0.expression == target }
      for record in meant {
        record.ask(demand)
        // Of several none is taken.
        if meant.count > 1 || !unnamed.isEmpty { record.mayHaveAskedLess = true }
      }
      for record in unnamed {
        record.ask(demand)
        record.mayHaveAskedLess = true
      }
    }
  }

  private static func cut(_ text: String) -> (String, [String]) {
    var depth = 0
    var isQuoted = false
    let signs = Array(text)
    for (index, sign) in signs.enumerated() {
      if sign == "\"" { isQuoted.toggle() }
      if isQuoted { continue }
      if "([{".contains(sign) { depth += 1 }
      if ")]}".contains(sign) { depth -= 1 }
      guard sign == " ", depth == 0, index + 1 < signs.count, !".{".contains(signs[index + 1])
      else {
        continue
      }
      let rest = String(signs[(index + 1)...]).split(separator: " ").map(String.init)
      return (String(signs[..<index]), rest)
    }
    return (text, [])
  }

  /// Whether commands are read, and not lines.
  var isCommanding: Bool { if case .commands = mode { true } else { false } }

  private var state: String {
    switch mode {
    case .feed: return "feed"
    case .tail: return "tail"
    case .commands: break
    }
    let open = streams.values.contains { $0.end == nil } ? "streams" : "idle"
    return "\(isFramed ? "framed" : "typed") \(expected.count > 3 ? "behind" : open)"
  }

  // MARK: What is heard

  func hears(_ item: LineReader.Item) {
    if isBabbling { return }
    if farewell != nil { return complain("heard something after BYE: \(item)") }
    if case .tail = mode, isGreeted, expected.isEmpty { return hearsPayload(item) }
    switch item {
    case .counted(let id, let text): hearsValue(id, text)
    case .line(let line): hears(line: line)
    }
  }

  /// After TAIL there are payloads, or a refusal, and nothing else.
  private func hearsPayload(_ item: LineReader.Item) {
    guard let tail, case .line(let text) = item, tail.end == nil else { return }
    if oracle.hasLines(tail.expression) { tail.isDoubtful = true }
    if text.hasPrefix("@! ") { return }
    let isRefusal = tail.values.isEmpty && (text.hasPrefix("ERR ") || text.hasPrefix("# "))
    if isRefusal || text.hasPrefix("BYE ") || text.hasPrefix("#") { return tail.isDoubtful = true }
    if tail.isDoubtful { return }
    if let problem = oracle.hears(text, by: name, of: tail) ?? tail.value(text) {
      complain("TAIL \(tail.expression): \(problem); heard \(text.prefix(100))")
    }
  }

  private func hears(line: String) {
    if !isGreeted {
      isGreeted = true
      if line.hasPrefix("HI flow/") {
        let isAsking = line.contains(" auth=token")
        if isAsking == oracle.tokens.isEmpty { complain("greeted with \(line)") }
        isAsked = isAsking
        return
      }
      if line.hasPrefix("BYE ") { return hearsFarewell(line) }
      return complain("greeted with \(line)")
    }
    var text = line
    var tag: String?
    if line.hasPrefix("@") {
      let parts = line.dropFirst().split(separator: " ", maxSplits: 1)
      tag = parts.first.map(String.init)
      text = parts.count > 1 ? String(parts[1]) : ""
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch words.first ?? "" {
    case "#": if isFramed && expected.isEmpty { complain("a line for people: \(line)") }
    case "*":
      if Row(line).hasNegative { complain("less than none: \(line)") }
      if expected.isEmpty { return complain("a row for nobody: \(line)") }
      expected[0].rows += 1
      if expected[0].tag != tag ?? "" { complain("a row with another tag: \(line)") }
    case "=":
      let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
      hearsValue(String(parts[1]), parts.count > 2 ? String(parts[2]) : "")
    case "OK":
      if Row(line).hasNegative { complain("less than none: \(line)") }
      answered(words, tag, line)
    case "ERR" where tag == "!": refused(words)
    case "ERR":
      refused(words)
      failed(tag, line)
    case "PONG" where tag == "!": break
    case "PONG": answered(["OK", "pong"], tag, line)
    case "REQ": hearsDemand(words, line)
    case "CANCEL": hearsCancel(words)
    case "DROP":
      guard words.count == 4, let count = Int(words[2]) else { return complain("odd: \(line)") }
      streamEvent(words[1], line) { [oracle] record in
        oracle.cover("DROP \(words[3])", of: record)
        let problem = record.drop(count, words[3])
        return problem ?? record.reading.flatMap { oracle.stored.drops(count, words[3], on: $0) }
      }
    case "DONE", "FAIL":
      guard words.count > 1 else { return complain("odd: \(line)") }
      let how = words[0] == "DONE" ? "DONE" : "FAIL \(words.count > 2 ? words[2] : "")"
      // Where signals are confirmed, the failure that one brings about is its answer.
      if how == "FAIL bad-demand",
        let index = expected.firstIndex(where: { entry in
          let words = entry.line.split(separator: " ")
          let isBad = words.last.map { $0 == "0" || $0.hasPrefix("-") } ?? false
          return entry.verb == "req" && entry.tag.isEmpty && isBad
        })
      {
        expected.remove(at: index)
      }
      if let worker = workers[words[1]], streams[words[1]] == nil { return worker.isEnded = true }
      oracle.cover(how)
      streamEvent(words[1], line) { [oracle] record in
        defer { oracle.follows(record) { $0.ends(record) } }
        oracle.cover(how, of: record)
        record.reading.map { oracle.stored.ends($0) }
        return record.finish(how)
      }
    case "DRAIN": break
    case "BYE": hearsFarewell(line)
    default: complain("does not understand: \(line)")
    }
  }

  private func refused(_ words: [String]) {
    let codes: Set = [
      "unknown-command", "usage", "unknown-name", "unknown-stream", "id-in-use", "syntax",
      "line-too-long", "value-too-long", "denied", "limit", "version", "draining", "exists",
      "completed", "no-demand", "cycle", "away",
    ]
    if words.count < 2 || !codes.contains(words[1]) { complain("ERR with the code \(words)") }
  }

  private func hearsFarewell(_ line: String) {
    farewell = String(line.split(separator: " ").dropFirst().first ?? "")
    let codes: Set = [
      "framing", "auth", "revoked", "killed", "idle", "overflow", "errors", "http", "tls", "limit",
      "shutdown", "quit",
    ]
    if !codes.contains(farewell ?? "") { complain("\(line)") }
    if ["auth", "revoked"].contains(farewell), !isAsked {
      complain("\(line), and nobody is asked")
    }
    if line == "BYE limit no more connections are accepted", !cameInShortage,
      shortagesBefore == oracle.shortages
    {
      complain("\(line), and there is memory for all of them")
    }
    if farewell == "revoked", !oracle.tokensHaveChanged {
      complain("\(line), and the tokens are what they were")
    }
  }

  private func take(_ tag: String?, _ line: String) -> Expected? {
    guard !expected.isEmpty else {
      complain("an answer to nothing: \(line)")
      return nil
    }
    let first = expected.removeFirst()
    if first.tag != tag ?? "" { complain("\(line) for @\(first.tag) \(first.line)") }
    return first
  }

  private func answered(_ words: [String], _ tag: String?, _ line: String) {
    guard let entry = take(tag, line) else { return }
    guard words.count > 1, words[1] == entry.verb else {
      return complain("\(line) for \(entry.line)")
    }
    if entry.isAllowed == false, !oracle.tokensHaveChanged {
      complain("\(line), which is not allowed")
    }
    switch entry.verb {
    case "sub", "take":
      guard let record = entry.stream, words.count > 2 else { return }
      record.isOpen = true
      record.holds = !words.contains("flow=free")
      if !record.holds, !isAsked { complain("\(line), though everything is allowed") }
      record.openedAfter = oracle.sent
      record.reading.map { oracle.stored.opens($0) }
      record.saidBefore = oracle.traffic[record.expression]?.said ?? 0
      if let index = unnamed.firstIndex(where: { $0 === record }) {
        unnamed.remove(at: index)
        streams[words[2]] = record
        for event in early.removeValue(forKey: words[2]) ?? [] {
          if let problem = event(record) {
            complain("stream \(words[2]), before \(line): \(problem)")
          }
        }
      }
      if record.end != nil {
        oracle.follows(record) { $0.ends(record) }
      } else if record.isOfName, !record.isDoubtful, record.takes == nil, !endsInput, !hasQuit,
        !expected.contains(where: { $0.cancelled == words[2] })
      {
        oracle.follows(record) { $0.opens(record) }
      }
      highest = max(highest, Int(words[2]) ?? 0)
    case "cancel":
      guard words.count > 3, words[3] != "ended" else { return }
      guard let record = entry.stream ?? streams[words[2]] else { return }
      if entry.stream == nil { record.isDoubtful = true }
      if !record.isDoubtful {
        let values = words.number(of: "values")
        if values != record.values.count {
          complain("\(line), though \(record.values.count) values have come")
        }
        let missed = words.number(of: "missed") ?? 0
        if words.number(of: "undelivered") ?? .max > missed {
          complain("\(line): more waited for the client to read than it has missed")
        }
        oracle.accounts(record, missed: missed, settled: entry.settled, by: name)
      }
      if let problem = record.finish("cancel") { complain("\(line): \(problem)") }
      oracle.follows(record) { $0.ends(record) }
      oracle.cover("CANCEL", of: record)
    case "pub":
      guard words.count > 3 else { return complain("odd: \(line)") }
      let (id, record) = entry.publication ?? (words[2], PublicationRecord(words[3], limit: 64))
      forget(id)
      if publications[id] !== record { publications[id] = record }
      record.isSure =
        Row(entry.line)["over"] == "hold"
      if let grant = words.value(of: "demand") { self.grant(record, grant, line) }
    case "serve":
      guard words.count > 3 else { return complain("odd: \(line)") }
      let (id, record) = entry.worker ?? (words[2], WorkerRecord(words[3]))
      if entry.worker == nil { record.asked = nil }
      forget(id)
      workers[id] = record
    case "list", "stats":
      let count = words.last.flatMap { Int($0) }
      if count != entry.rows { complain("\(line) after \(entry.rows) rows") }
    case "req":
      // What is still to come of what was asked for: as much as that, but for what has come.
      guard let record = entry.stream, let asked = entry.askedThen, record.takes == nil,
        !record.isDoubtful, !record.mayHaveAskedLess,
        let told = words.number(of: "demand")
      else { return }
      if told > asked || told < asked - record.values.count {
        complain("\(line) when \(asked) were asked for and \(record.values.count) have come")
      }
    case "feed":
      let sums = ["sent", "refused"].map { words.number(of: $0) ?? -1 }
      // A connection that is ended from elsewhere is not read to its end.
      if words.count > 2 { oracle.settles(max(sums[0], 0), of: words[2]) }
      if sums[0] == entry.lines, words.count > 2 { oracle.owes(entry.fed, of: words[2]) }
      if sums[0] + sums[1] != entry.lines { short.append("\(line) of \(entry.lines) lines") }
    case "send":
      oracle.cover("send answered")
      entry.sending.map { oracle.stored.isStored($0, at: words.number(of: "seq")) }
      guard let (subject, then) = entry.readers else { return }
      oracle.settles(1, of: subject)
      let count = ["to", "missed"].reduce(0) { $0 + (words.number(of: $1) ?? 0) }
      guard oracle.knows(subject),
        let problem = oracle.traffic[subject]?.objection(
          to: count,
          since: then,
          mayStall: oracle.mayStall(subject)
        )
      else { return }
      complain("\(line): \(problem)")
    case "delete" where words.count > 2: oracle.stored.isDeleted(words[2])
    case "subject" where words.count > 2: oracle.stored.isDefined(words[2])
    case "run": oracle.stored.runs(entry.line)
    default: break
    }
  }

  private func failed(_ tag: String?, _ line: String) {
    guard let entry = take(tag, line) else { return }
    let isDenied = line.contains("ERR denied")
    if isDenied,
      !isAsked || entry.isAllowed == true && !oracle.tokensHaveChanged && entry.verb != "auth"
    {
      complain("\(line), which is allowed: \(entry.line)")
    }
    if isDenied, let subject = entry.publication?.record.subject { oracle.unsettles(subject) }
    if let record = entry.stream, ["sub", "take"].contains(entry.verb), !record.isDoubtful {
      oracle.follows(record) { $0.ends(record) }
      unnamed.removeAll { $0 === record }
      for (id, stream) in streams where stream === record {
        if !stream.values.isEmpty { complain("\(line), though values have come") }
        streams[id] = nil
      }
    }
    if let (id, record) = entry.publication, publications[id] === record {
      publications[id] = nil
    }
    if let (id, record) = entry.worker, workers[id] === record { workers[id] = nil }
  }

  private func streamEvent(
    _ id: String,
    _ line: String,
    _ event: @escaping (StreamRecord) -> String?
  ) {
    if streams[id]?.end ?? "none" != "none" || streams[id] == nil, !unnamed.isEmpty {
      // Its stream may be one whose number is told behind another answer.
      return early[id, default: []].append(event)
    }
    guard let record = streams[id] else {
      if publications[id] == nil { complain("\(line), and nothing like it is open") }
      return
    }
    if let problem = event(record) {
      complain("stream \(id) \(record.expression): \(problem); heard \(line)")
    }
  }

  private func hearsValue(_ id: String, _ text: String) {
    if id.contains(".") { return hearsCall(id, text) }
    streamEvent(id, "= \(id) \(text.prefix(100))") { [oracle, name] record in
      if record.values.isEmpty { oracle.cover("value", of: record) }
      let problem = oracle.hears(text, by: name, of: record) ?? record.value(text)
      if problem != nil || record.isDoubtful { return problem }
      return record.reading.flatMap { oracle.stored.hears(text, on: $0) }
    }
    guard let record = streams[id], record.end == nil, !record.hasCancelled else { return }
    switch model.asking {
    case .never: break
    case .oneByOne: react("REQ \(id) 1\n", 100)
    case .byTens: if record.values.count % 10 == 0 { react("REQ \(id) 10\n", 100) }
    }
  }

  private func hearsDemand(_ words: [String], _ line: String) {
    guard words.count == 3 else { return complain("odd: \(line)") }
    if let record = publications[words[1]] {
      grant(record, words[2], line)
    } else if let call = calls[words[1]] {
      call.ask(words[2])
      if call.end != nil { complain("\(line): the call is over") }
    } else {
      complain("\(line), and nothing is published there")
    }
  }

  private func grant(_ record: PublicationRecord, _ demand: String, _ line: String) {
    guard let count = Int(demand) else { return record.isUnlimited = true }
    record.granted += count
    let ahead = record.granted - record.sent
    if ahead > record.limit { complain("\(line) allows \(ahead) values, at most \(record.limit)") }
  }

  private func hearsCancel(_ words: [String]) {
    guard words.count > 1 else { return }
    if let record = publications[words[1]] {
      record.isEnded = true
      record.kept = []
    } else if let call = calls[words[1]] {
      if call.end != nil { complain("CANCEL \(words[1]), which is over") }
      _ = call.finish("CANCEL")
    } else {
      complain("CANCEL of what is not open: \(words)")
    }
  }

  private func hearsCall(_ id: String, _ text: String) {
    let parts = id.split(separator: ".")
    guard parts.count == 2, let worker = workers[String(parts[0])], let number = Int(parts[1])
    else {
      return complain("a call for nobody: \(id)")
    }
    worker.calls += 1
    if let asked = worker.asked, worker.calls > asked {
      complain("call \(id) is one more than the \(asked) that were asked for")
    }
    if calls[id] != nil { complain("call \(id) comes again") }
    if number <= worker.lastCall { complain("call \(id) after \(worker.lastCall)") }
    worker.lastCall = number
    let call = StreamRecord("a call")
    calls[id] = call
    let answer = Int(text).map { "\($0 * 2)" } ?? "0"
    let done = "DONE \(id)\nREQ \(parts[0]) 1\n"
    switch model.working {
    case .answers: react("= \(id) \(answer)\n\(done)", 1000)
    case .late: react("= \(id) \(answer)\n\(done)", 3_000_000)
    case .twice: react("= \(id) \(answer)\n= \(id) \(answer)\n\(done)\(done)", 5000)
    case .never: break
    case .wrongly: react("= \(parts[0]).\(number + 7) 1\nDONE \(parts[0]).\(number + 9)\n", 2000)
    case .fails: react("FAIL \(id) broken as always\nREQ \(parts[0]) 1\n", 1000)
    }
  }

  /// Whether the server may have stopped reading: values wait for room, or for demand.
  private var isHeldUp: Bool {
    expected.contains { $0.verb == "feed" }
      || publications.values.contains { !$0.isUnlimited && $0.sent > $0.granted }
      || calls.values.contains { $0.end == nil && $0.said > $0.asked ?? .max }
  }

  /// Streams that go on, have demand, and are nothing but calls; with the service that they ask.
  var callers: [(service: String, expression: String)] {
    // After the end of input a stream goes on only while values come.
    guard !isHeldUp, !isBabbling, !endsInput else { return [] }
    return streams.sorted { $0.key < $1.key }.compactMap { _, record in
      let text = record.expression
      guard record.isOpen, record.end == nil, !record.isDoubtful, !record.mayHaveAskedLess,
        text.hasPrefix("("), text.hasSuffix(", $0) }"), record.asked ?? .max > record.values.count,
        let start = text.firstRange(of: "{ ask(")?.upperBound,
        !text[..<start].contains("s0"), text.split(separator: ".flatMap").count == 2
      else { return nil }
      return (String(text[start...].prefix { $0 != "," }), text)
    }
  }

  // MARK: The end

  /// The server has closed the connection.
  func closed() {
    // A server that goes away waits for nobody when its time is up.
    guard !isBabbling, endsInput, !isFramed, farewell == nil, isGreeted, tail == nil,
      !oracle.isUnsteady
    else {
      return
    }
    for entry in expected { complain("closed without an answer to \(entry.line.prefix(200))") }
  }

  /// What the server tells of each open stream is what is known here.
  func checkStreams(_ told: [String: StreamFigures], publications rows: [String: StreamFigures]) {
    guard !isBabbling, unnamed.isEmpty, expected.isEmpty, !isHeldUp, !endsInput, tail == nil else {
      return
    }
    for (id, record) in streams where record.isOpen && !record.isDoubtful && record.end == nil {
      guard let figures = told[id] else {
        complain("stream \(id) \(record.expression) is open, and not told of")
        continue
      }
      let left = record.asked.map { "\($0 - record.values.count)" } ?? "max"
      // It goes on meanwhile.
      if ["Timer", "window(."].contains(where: record.expression.contains) { continue }
      let isDemandKnown = !record.mayHaveAskedLess && record.takes == nil
      if figures.values != record.values.count || isDemandKnown && figures.demand != left {
        complain(
          "stream \(id) \(record.expression): \(record.values.count) came, \(left) to come; \(figures)"
        )
      }
    }
    for (id, record) in publications where record.isSure && record.isObedient && !record.isEnded {
      let left = record.isUnlimited ? "max" : "\(record.granted - record.sent)"
      if rows[id]?.demand != left || rows[id]?.values != record.sent {
        complain(
          "publication \(id) on \(record.subject): \(record.sent) sent, \(left) granted; \(rows[id].map { "\($0)" } ?? "not told of")"
        )
      }
    }
    for (id, record) in streams where record.end != nil && !record.isDoubtful && told[id] != nil {
      complain("stream \(id) has ended, and is told of")
    }
  }

  /// What is still owed of subjects in NATS to one who has had time enough.
  func checkStored() {
    guard !isHeldUp else { return }
    for (_, record) in streams.sorted(by: { $0.key < $1.key }) {
      guard let reading = record.reading, record.isOpen, record.end == nil, !record.isDoubtful,
        !record.hasCancelled, !record.mayHaveAskedLess,
        record.asked.map({ $0 > record.values.count }) ?? true
      else { continue }
      let isUnlimited = record.asked == nil
      oracle.stored.check(record.values, on: reading, by: name, isUnlimited: isUnlimited)
    }
  }

  /// What is still owed to one who has had time enough, and whose connection is open.
  func omissions() {
    if isBabbling { return }
    for complaint in short { complain(complaint) }
    for (_, record) in publications where record.isSure {
      oracle.owes(record.kept, of: record.subject)
    }
    for (_, record) in streams where record.isOpen && record.end == nil {
      let hasDemand = record.asked.map { $0 > record.values.count } ?? true
      // Of one that is not read, what it asks for is not either.
      if hasDemand, !isHeldUp, !record.isDoubtful, !record.mayHaveAskedLess {
        oracle.expects(record, by: name)
      }
    }
    for entry in expected where !isHeldUp {
      complain("no answer to \(entry.line.prefix(200))")
    }
    for (id, record) in streams.sorted(by: { $0.key < $1.key }) where !isHeldUp {
      if let omission = record.omission {
        complain("stream \(id) \(record.expression): \(omission)")
      }
    }
  }
}
