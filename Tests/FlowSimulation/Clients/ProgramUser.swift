/// Somebody who runs `flowclient`: each line is a command line, with standard input behind ` < `,
/// its line ends written as U+2424; `converse` stands for no word at all.
///
/// What the program prints must be what the library may be told, and each run must come to an end.
final class ProgramUser {
  let name: String
  private let world: World
  private let oracle: Oracle
  private let chronicle: Chronicle
  private var runs: [Run] = []

  /// One run of it.
  private final class Run {
    let program: ClientProgram
    let words: [String]
    let record: StreamRecord?

    init(_ program: ClientProgram, _ words: [String]) {
      self.program = program
      self.words = words
      record = words.first == "sub" && words.count > 1 ? StreamRecord(words[1]) : nil
      record?.isOpen = true
      record?.isToldOfDrops = false
      record?.ask(number(of: "-n").map { "\($0)" } ?? "max")
    }

    func number(of option: String) -> Int? {
      guard let place = words.firstIndex(of: option), place + 1 < words.count else { return nil }
      return Int(words[place + 1].prefix { $0.isNumber })
    }
  }

  init(_ name: String, _ world: World, _ oracle: Oracle, _ chronicle: Chronicle) {
    self.name = name
    self.world = world
    self.oracle = oracle
    self.chronicle = chronicle
  }

  func run(_ line: String) {
    let parts = line.split(separator: " < ", maxSplits: 1).map(String.init)
    let words = Self.words(parts[0]).filter { $0 != "converse" }
    let input = parts.count > 1 ? parts[1].replacing("\u{2424}", with: "\n") : ""
    let program = ClientProgram(line, input: Array(input.utf8), world)
    let run = Run(program, words)
    runs.append(run)
    let called = "\(name)\(runs.count)"
    publishes(run, input, by: called)
    if words.count > 1 { oracle.mentions(words[1]) }
    program.wrote = { [weak self, unowned run] line, isError in
      guard let self else { return }
      chronicle.note("\(called)\(isError ? "!" : "<") \(line.prefix(4096))")
      if isError { remark(line, run) } else { value(line, run, called) }
    }
    program.ended = { [weak self, unowned run] in self?.ended(run, called) }
    program.start(["-s", ServerProcess.address] + words)
  }

  /// Words of a command line; what has spaces in it stands between single quotation marks.
  private static func words(_ line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
      index,
      part in
      index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
  }

  /// What is sent may come, or be lost with its connection.
  private func publishes(_ run: Run, _ input: String, by called: String) {
    let words = run.words
    guard words.first == "send", words.count > 1 else { return }
    let subject = words[1]
    oracle.unsettles(subject)
    var values = words.dropFirst(2).prefix { !$0.hasPrefix("-") }.map { $0 }
    if let count = run.number(of: "--count"), let template = values.first {
      values = (1...max(1, count)).map { template.replacing("{n}", with: "\($0)") }
    } else if values.isEmpty {
      values = input.split(separator: "\n").map(String.init)
    }
    for value in values { oracle.publishes(value, to: subject, by: "\(called) program") }
  }

  private func remark(_ line: String, _ run: Run) {
    guard let record = run.record else { return }
    if line.hasPrefix("lost ") || line.hasPrefix("cannot reach") { record.isDoubtful = true }
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 2 else { return }
    let drop: (count: Int?, reason: String)? =
      switch words[0] {
      // Reported at the end, each as `missed 3 values (replaced): …`, or without a reason if demand was lacking.
      case "missed":
        (
          Int(words[1]),
          words.first { $0.hasPrefix("(") }.map { $0.filter { $0.isLetter || $0 == "-" } }
            ?? "no-demand"
        )
      default: nil
      }
    guard let drop, let count = drop.count else { return }
    if let problem = record.drop(count, drop.reason) {
      oracle.complain("\(run.program.line): \(problem)")
    }
  }

  private func value(_ text: String, _ run: Run, _ called: String) {
    guard let record = run.record else { return }
    // A value of two lines looks like two.
    if oracle.hasLines(record.expression) {
      record.isDoubtful = true
      record.asked = nil
    }
    for problem in [oracle.hears(text, by: called, of: record), record.value(text)] {
      if let problem { oracle.complain("\(called): \(run.program.line): \(problem); \(text)") }
    }
  }

  private func ended(_ run: Run, _ called: String) {
    let code = run.program.exit ?? -1
    chronicle.note("\(called) ends with \(code)")
    oracle.cover("flowclient \(run.words.first ?? "") × \(code)")
    func complain(_ text: String) {
      oracle.complain("\(called): \(run.program.line): \(text)")
    }
    // 70 is a bug of its own, 64 and 65 would be those of the story.
    if [64, 65, 66, 70, 74, 78].contains(code) { complain("ended with \(code)") }
    guard let record = run.record, code == 0, run.program.interruptions == 0 else { return }
    let most = run.number(of: "-n")
    let isLimited = run.words.contains("--for") || most.map { record.values.count >= $0 } ?? false
    if !isLimited, let problem = record.finish("DONE") { complain("\(problem); at its end") }
  }

  /// Says the first run that goes on to end.
  func interrupt() { runs.first { $0.program.exit == nil }?.program.interrupt() }

  /// Tells all to end, and waits until they have.
  func close() {
    for run in runs { run.program.interrupt() }
    let isThrough = world.run(atMost: 60_000_000_000) { runs.allSatisfy { $0.program.exit != nil } }
    if !isThrough, let run = runs.first(where: { $0.program.exit == nil }) {
      oracle.complain("\(name): \(run.program.line): has not ended when told to")
    }
    for run in runs { run.program.interrupt() }
    world.run(for: 10_000_000_000)
  }
}
