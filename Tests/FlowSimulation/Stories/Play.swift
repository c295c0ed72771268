import FlowLanguage
import FlowServer
import FlowTransport

/// What came of a story.
package struct Outcome: Sendable {
  /// What was against the protocol.
  package var complaints: [String] = []
  /// All that was said and heard, with times.
  package var transcript: [String] = []
  /// One number for all of the transcript: two runs that differ in an octet differ in it.
  package var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325
  /// How long it took in the world, in nanoseconds.
  package var time: UInt64 = 0
  package var coverage: [String: Int] = [:]

  mutating func note(_ line: String, keeps: Bool) {
    for octet in line.utf8 { fingerprint = (fingerprint ^ UInt64(octet)) &* 0x100_0000_01b3 }
    if keeps { transcript.append(line) }
  }
}

/// Plays a story in a world of its own, with one server, and judges all that is said.
package final class Play {
  private static let address = "127.0.0.1:3569"
  private static let file = "server.flow"
  private static let memory = 64 << 20

  private let story: Story
  private let keepsTranscript: Bool
  private let world: World
  private let oracle = Oracle()
  private var outcome = Outcome()
  private var server: Server?
  private var cast: [String: (actor: Actor, witness: Witness)] = [:]
  private var libraries: [String: LibraryClient] = [:]
  private var everybody: [(actor: Actor, witness: Witness)] = []
  private var isRestarting = false
  private var begin: UInt64 = 0
  private var bystander: Bystander?

  package init(_ story: Story, keepsTranscript: Bool = false) {
    self.story = story
    self.keepsTranscript = keepsTranscript
    world = World(seed: story.seed)
  }

  package func run() -> Outcome {
    write(story.definitions)
    startServer()
    begin = world.now
    bystander = Bystander(world, Self.place, oracle)
    for step in story.steps {
      world.after(UInt64(step.time) * 1_000_000) { [weak self] in self?.perform(step) }
    }
    world.run(for: UInt64((story.steps.last?.time ?? 0) + 1) * 1_000_000)
    heal()
    leave()
    end()
    outcome.complaints = oracle.complaints
    outcome.coverage = oracle.coverage
    outcome.time = world.now
    for complaint in oracle.complaints { outcome.note("! \(complaint)", keeps: keepsTranscript) }
    return outcome
  }

  private static let place = try? SocketAddress(parsing: address)

  private func note(_ what: String) {
    let time = (world.now &- begin) / 1000
    outcome.note("\(time) \(what)", keeps: keepsTranscript)
  }

  // MARK: The server

  private func write(_ lines: [String]) {
    for line in lines where line.hasPrefix("SUBJECT") { oracle.defines(subject: line) }
    world.files[Self.file] = Array(lines.map { "\($0)\n" }.joined().utf8)
  }

  private func startServer() {
    let server = Server(configuration: configuration, platform: world) { _ in }
    self.server = server
    do {
      do {
        try load()
      } catch {
        // Not each pipeline that is drawn is one.
        note("not loaded: \(error)")
        write(story.definitions.filter { $0.hasPrefix("SUBJECT") })
        try load()
      }
      _ = try server.listen(on: Self.address)
    } catch {
      oracle.complain("the server does not start: \(error)")
    }
  }

  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.memory = Self.memory * 4
    configuration.drain = 2_000_000_000
    configuration.threads = story.seed % 4 == 0 ? 2 : 1
    return configuration
  }

  private func load() throws {
    let world = world
    _ = try server?.load([Self.file]) { name in
      try String(decoding: world.contents(ofFile: name), as: UTF8.self)
    }
  }

  private func reload() {
    do {
      try load()
      note("reloaded")
    } catch {
      note("not reloaded: \(error)")
    }
  }

  private func stopServer() {
    let stopped = Flag()
    server?.stop(drain: nil) { stopped.isSet = true }
    if !world.run(atMost: 100_000_000_000, until: { stopped.isSet }) {
      oracle.complain("the server has not stopped")
    }
    server = nil
    world.run(for: 1_000_000_000)
    _ = world.wait(for: Disposal.group, atMost: 0)
  }

  /// Unchecked: set and read on the world's thread.
  private final class Flag: @unchecked Sendable {
    var isSet = false
  }

  // MARK: Steps

  private func perform(_ step: Story.Step) {
    note("\(step.who) \(step.what)")
    if step.who == "server" { return performHere(step.what) }
    if let client = libraries[step.who] { return perform(step.what, by: client) }
    if step.what == .connect { return connect(step.who) }
    guard let (actor, witness) = cast[step.who] else { return }
    switch step.what {
    case .say(let line):
      guard actor.isOpen, !actor.endsInput else { return }
      let spelled = Story.spelled(line)
      witness.says(spelled)
      actor.say("\(spelled)\n")
    case .stopReading: actor.stopReading()
    case .readOn: actor.readOn()
    case .endInput: actor.endInput()
    case .close: actor.close()
    case .reset: actor.reset()
    case .vanish: actor.vanish()
    case .stall(let time): actor.stall(UInt64(time) * 1_000_000)
    default: break
    }
  }

  private func perform(_ what: Story.Act, by client: LibraryClient) {
    switch what {
    case .say(let line): client.say(line)
    case .reset, .vanish, .stall: world.cutSomeConnection()
    case .close: client.close()
    default: break
    }
  }

  private func performHere(_ what: Story.Act) {
    switch what {
    case .sleep(let time):
      bystander?.forgive(UInt64(time) * 1_000_000)
      world.sleep(UInt64(time) * 1_000_000)
    case .reload(let lines):
      write(lines)
      reload()
    case .failingReload:
      world.brokenFiles.insert(Self.file)
      reload()
      world.brokenFiles.remove(Self.file)
    case .shortOfDescriptors(let isShort): world.isExhausted = isShort
    case .shortOfMemory(let isShort):
      oracle.isUnsteady = true
      world.memory = { isShort ? Self.memory * 5 : Self.memory }
    case .restart:
      if isRestarting { return }
      isRestarting = true
      oracle.isUnsteady = true
      bystander?.leave()
      stopServer()
      startServer()
      isRestarting = false
      bystander = Bystander(world, Self.place, oracle)
    default: break
    }
  }

  private func connect(_ name: String) {
    guard let place = Self.place, let model = story.actors.first(where: { $0.name == name }) else {
      return
    }
    if model.isLibrary {
      let client = LibraryClient(name, world, oracle) { [weak self] in self?.note($0) }
      libraries[name] = client
      return client.connect(to: Self.address)
    }
    cast[name]?.actor.close()
    // Whoever comes again is somebody else to the server.
    let count = everybody.count { $0.actor.model.name == name }
    let called = count == 0 ? name : "\(name)\(count + 1)"
    var shown = model
    shown.name = called
    weak var speaker: Actor?
    let witness = Witness(shown, oracle) { [weak self] text, microseconds in
      self?.react(text, after: UInt64(microseconds) * 1000, speaker, called)
    }
    let actor = Actor(
      model,
      world,
      heard: { [weak self] item in
        self?.note("\(called)< \(item.text.prefix(4096))")
        witness.hears(item)
      },
      ended: { [weak self] isReset in self?.note("\(called) is \(isReset ? "cut off" : "closed")") }
    )
    speaker = actor
    if !actor.connect(to: place) { note("\(called) is refused") }
    cast[name] = (actor, witness)
    everybody.append((actor, witness))
  }

  private func react(_ text: String, after time: UInt64, _ actor: Actor?, _ called: String) {
    world.after(time) { [weak self, weak actor] in
      guard let self, let actor, actor.isOpen, !actor.endsInput else { return }
      guard let witness = everybody.first(where: { $0.actor === actor })?.witness else { return }
      // In the middle of a FEED it would be one more value, of which more might come.
      guard witness.isCommanding else { return }
      for line in text.split(separator: "\n") {
        note("\(called)> \(line)")
        witness.says(String(line))
        actor.say("\(line)\n")
      }
    }
  }

  // MARK: The end

  /// All goes well again, and there is time enough for all that is still to come.
  private func heal() {
    world.isExhausted = false
    world.memory = { Self.memory }
    world.slowness = 1_000_000
    for (actor, _) in everybody { actor.hurry() }
    world.run(for: 150_000_000_000)
    for (actor, witness) in everybody where actor.isOpen && witness.farewell == nil {
      witness.omissions()
    }
    for name in libraries.keys.sorted() { libraries[name]?.omissions() }
    findStarved()
    checkStages()
  }

  /// What came to a stage, and what it made, went on, was dropped, is inside, or became something else.
  private func checkStages() {
    for kind in ["pipelines", "runs"] {
      for row in told("LIST \(kind)").map(Row.init) where row.words.count > 1 {
        for stage in told("SHOW \(row.words[1])").map(Row.init) where stage.words.first == "stage" {
          guard stage["in"] != nil else { continue }
          func number(_ key: String) -> Int { stage.last(key).flatMap { Int($0) } ?? 0 }
          let came = number("in") + number("made")
          let went = ["out", "dropped", "held", "consumed", "left"].reduce(0) { $0 + number($1) }
          if came != went {
            oracle.complain("\(row.words[1]): \(came) came and \(went) are told of: \(stage.text)")
          }
        }
      }
    }
  }

  /// Nobody has demand and values and gets none.
  private func findStarved() {
    let services = told("LIST services").map(Row.init)
    for row in services {
      if row["running"] != "0", row["workers"] == "0" {
        oracle.complain("calls run without a worker: \(row.text)")
      }
      if row["waiting"] != "0", row["demand"] != "0" {
        oracle.complain("calls wait for a worker that has demand: \(row.text)")
      }
    }
    for (actor, witness) in everybody where actor.isOpen && witness.farewell == nil {
      for (service, stream) in witness.callers {
        let row = services.first { $0.words.dropFirst().first == service }
        if row.map({ $0["waiting"] == "0" && $0["running"] == "0" }) ?? true {
          oracle.complain("\(witness.name): nobody is at the calls of \(stream), which goes on")
        }
      }
    }
    let streams = told("LIST streams").map(Row.init).filter { $0.words.first == "stream" }
    let subjects = Set(told("LIST subjects").map { Row($0).words.dropFirst().first ?? "" })
    for name in subjects.sorted() where !name.isEmpty {
      let rows = told("SHOW \(name)").map(Row.init)
      guard rows.contains(where: { $0.words.first == "completed" }) else { continue }
      if rows.contains(where: { $0.text.contains(" passthrough ") }),
        rows.contains(where: { $0["subscriptions"] ?? "0" != "0" })
      {
        oracle.complain("\(name) has completed, and somebody who reads it has not been told")
      }
    }
    // What a pipeline asks for depends on more than its own demand.
    guard streams.allSatisfy({ subjects.contains($0["name"] ?? "") }) else { return }
    let allHaveDemand = streams.allSatisfy { $0["demand"] != "0" && $0["stalled"] == nil }
    let hasRuns = !told("LIST runs").isEmpty
    for row in told("LIST subjects").map(Row.init) where row.words.count > 1 {
      let waits = row["waiting"] != "0" && row["subscriptions"] != "0"
      if waits, allHaveDemand, !hasRuns {
        oracle.complain("values wait at \(row.text), though all who read have demand")
      }
    }
  }

  /// A row of a list.
  private struct Row {
    let text: String
    let words: [String]

    init(_ text: String) {
      self.text = text
      words = text.split(separator: " ").dropFirst().map(String.init)
    }

    /// As by the key, where the text before may have the same.
    func last(_ key: String) -> String? {
      words.last { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
    }

    subscript(key: String) -> String? {
      words.first { $0.hasPrefix("\(key)=") }.map { String($0.dropFirst(key.count + 1)) }
    }
  }

  /// All go, and the server has nothing left of them.
  private func leave() {
    for (actor, _) in everybody { actor.close() }
    for name in libraries.keys.sorted() { libraries[name]?.close() }
    bystander?.leave()
    // So long the kernel takes to find out who is gone.
    world.run(for: 150_000_000_000)
    drain()
    world.run(for: 100_000_000_000)
    var rows: [String: String] = [:]
    for row in told("STATS").map(Row.init) where row.words.count > 1 {
      rows[row.words[0]] = row.words[1]
    }
    let expected = [
      "flow_connections": "1",
      "flow_streams{kind=\"subscription\"}": "0",
      "flow_streams{kind=\"publication\"}": "0",
      "flow_streams{kind=\"service\"}": "0",
      "flow_calls{state=\"waiting\"}": "0",
      "flow_calls{state=\"running\"}": "0",
    ]
    for (metric, value) in expected.sorted(by: { $0.key < $1.key }) where rows[metric] != value {
      oracle.complain("when all have gone \(metric) is \(rows[metric] ?? "not told")")
    }
  }

  /// Takes what those who have gone had sent, and waits for room.
  private func drain() {
    for row in told("LIST subjects").map(Row.init) where row.words.count > 1 {
      _ = told("HELLO 1\nSUB \(row.words[1]) max", for: 5_000_000_000)
    }
  }

  /// The rows that a connection of its own is told.
  private func told(_ lines: String, for time: UInt64 = 1_000_000_000) -> [String] {
    var model = ActorModel(name: "auditor")
    model.gulp = 1 << 20
    var rows: [String] = []
    let actor = Actor(
      model,
      world,
      heard: { [weak self] item in
        self?.outcome.note(item.text, keeps: false)
        if item.text.hasPrefix("* ") { rows.append(item.text) }
      },
      ended: { _ in }
    )
    guard let place = Self.place, actor.connect(to: place) else {
      oracle.complain("nobody listens at the end")
      return []
    }
    actor.say("\(lines)\n")
    world.run(for: time)
    actor.close()
    return rows
  }

  private func end() {
    stopServer()
    everybody = []
    cast = [:]
    libraries = [:]
    world.run(for: 20_000_000_000)
    bystander = nil
    let remains = world.remains
    if remains.loops > 0 || remains.sockets > 0 {
      oracle.complain("loops left: \(remains.loops), sockets left: \(remains.sockets)")
    }
  }
}

extension LineReader.Item {
  var text: String {
    switch self {
    case .line(let line): line
    case .counted(let id, let text): ": \(id) \(text.utf8.count)\n\(text)"
    }
  }
}
