import FlowLanguage
import FlowTransport

/// What came of a story.
package struct Outcome: Sendable {
  /// What was against the protocol.
  package var complaints: [String] = []
  /// All that was said and heard, with times.
  package var transcript: [String] = []
  /// One number for all of the transcript: two runs that differ in a byte differ in it.
  package var fingerprint: UInt64 = 0
  /// How long it took in the world, in nanoseconds.
  package var time: UInt64 = 0
  /// How many event loops were made, each with a queue.
  package var loops = 0
  package var coverage: [String: Int] = [:]
}

/// Plays a story in a world of its own, with one server, or two on one NATS, and judges all that is said.
package final class Play {
  private let story: Story
  let world: World
  let oracle: Oracle
  private let chronicle: Chronicle
  let process: ServerProcess
  let second: ServerProcess?
  let nats: SimulatedNATS?
  private var cast: [String: (actor: Actor, witness: Witness)] = [:]
  private var libraries: [String: LibraryClient] = [:]
  private var users: [String: ProgramUser] = [:]
  private(set) var everybody: [(actor: Actor, witness: Witness)] = []
  private var isRestarting = false
  var bystander: Bystander?

  package init(_ story: Story, keepsTranscript: Bool = false) {
    self.story = story
    world = World(seed: story.seed)
    oracle = Oracle(tokens: story.tokens)
    chronicle = Chronicle(world, keepsLines: keepsTranscript)
    let hasNATS = story.hasNATS
    let threads = story.seed % 4 == 0 ? 2 : 1
    process = ServerProcess(world, oracle, chronicle, threads: threads, hasNATS: hasNATS)
    let isOne = !hasNATS || !story.actors.contains { $0.isAtSecond }
    second =
      isOne
      ? nil : ServerProcess(world, oracle, chronicle, threads: 1, hasNATS: true, isSecond: true)
    nats = hasNATS ? SimulatedNATS(world, chronicle) : nil
    oracle.stored.now = { [unowned world] in world.now }
  }

  package func run() -> Outcome {
    process.write(definitions: story.definitions)
    process.write(tokens: story.tokens)
    nats?.start()
    startServer()
    if let second, !second.start() { oracle.complain("the second server does not start") }
    bystander = Bystander(world, oracle)
    for step in story.steps {
      world.after(UInt64(step.time) * 1_000_000) { [self] in perform(step) }
    }
    world.run(for: UInt64((story.steps.last?.time ?? 0) + 1) * 1_000_000)
    heal()
    leave()
    end()
    for complaint in oracle.complaints { chronicle.note("! \(complaint)") }
    return Outcome(
      complaints: oracle.complaints,
      transcript: chronicle.lines,
      fingerprint: chronicle.fingerprint,
      time: world.now,
      loops: world.loopsMade,
      coverage: oracle.coverage
    )
  }

  // MARK: The server

  private func startServer() {
    if process.start() { return }
    // Not each pipeline that is drawn is one.
    process.write(definitions: story.definitions.filter { $0.hasPrefix("SUBJECT") })
    if !process.start() { oracle.complain("the server does not start") }
  }

  // MARK: Steps

  private func perform(_ step: Story.Step) {
    chronicle.note("\(step.who) \(step.what)")
    if case .nats(let event) = step.what { return perform(event) }
    if case .kill(let time) = step.what { return kill(step.who, for: time) }
    if step.who == "server" { return performHere(step.what) }
    if let client = libraries[step.who] { return perform(step.what, by: client) }
    if let user = users[step.who] { return perform(step.what, by: user) }
    if step.what == .connect { return connect(step.who) }
    guard let (actor, witness) = cast[step.who] else { return }
    switch step.what {
    case .say(let line):
      guard actor.isOpen, !actor.endsInput, !witness.isBabbling else { return }
      let spelled = Story.spelled(line)
      witness.says(spelled)
      actor.say("\(spelled)\n")
    case .babble(let count):
      witness.isBabbling = true
      actor.say((0..<count).map { _ in UInt8(world.dice.pick(0...255)) })
    case .stopReading: actor.stopReading()
    case .readOn: actor.readOn()
    case .endInput:
      witness.endInput()
      actor.endInput()
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

  private func perform(_ what: Story.Act, by user: ProgramUser) {
    switch what {
    case .say(let line): user.run(Story.spelled(line))
    case .reset, .vanish, .stall: world.cutSomeConnection()
    case .endInput, .close: user.interrupt()
    default: break
    }
  }

  private func performHere(_ what: Story.Act) {
    switch what {
    case .sleep(let time):
      bystander?.forgive(UInt64(time) * 1_000_000)
      world.sleep(UInt64(time) * 1_000_000)
    case .reload(let lines):
      process.write(definitions: lines)
      process.reload()
    case .newTokens(let lines):
      guard !story.tokens.isEmpty else { return }
      process.write(tokens: lines)
      oracle.changesTokens()
      process.reload()
    case .failingReload:
      process.breaksFile(true)
      process.reload()
      process.breaksFile(false)
    case .shortOfDescriptors(let isShort): world.isExhausted = isShort
    case .shortOfMemory(let isShort):
      oracle.isShortOfMemory(isShort)
      world.memory = { isShort ? ServerProcess.memory * 5 : ServerProcess.memory }
    case .restart:
      if isRestarting { return process.hurry() }
      isRestarting = true
      oracle.isUnsteady = true
      bystander?.leave()
      process.stop()
      startServer()
      isRestarting = false
      bystander = Bystander(world, oracle)
    default: break
    }
  }

  private func connect(_ name: String) {
    guard let index = story.actors.firstIndex(where: { $0.name == name }) else { return }
    let model = story.actors[index]
    guard let place = (model.isAtSecond ? second : process)?.place else { return }
    switch model.speaks {
    case .bytes: break
    case .program:
      users[name] = ProgramUser(name, world, oracle, chronicle)
      return
    case .library:
      let client = LibraryClient(name, world, oracle, chronicle)
      libraries[name] = client
      return client.connect(to: ServerProcess.address)
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
      heard: { [chronicle] item in
        chronicle.note("\(called)< \(item.text.prefix(4096))")
        witness.hears(item)
      },
      ended: { [chronicle] isReset in
        chronicle.note("\(called) is \(isReset ? "cut off" : "closed")")
        witness.standsAlone()
        if !isReset { witness.closed() }
      }
    )
    speaker = actor
    if !actor.connect(to: place, from: "10.0.0.\(index + 1)") {
      chronicle.note("\(called) is refused")
    }
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
        chronicle.note("\(called)> \(line)")
        witness.says(String(line))
        actor.say("\(line)\n")
      }
    }
  }

  // MARK: The end

  /// All goes well again, and there is time enough for all that is still to come.
  private func heal() {
    world.isExhausted = false
    world.memory = { ServerProcess.memory }
    oracle.isShortOfMemory(false)
    world.slowness = 1_000_000
    nats?.heal()
    for (actor, _) in everybody { actor.hurry() }
    world.run(for: 150_000_000_000)
    for (actor, witness) in everybody where actor.isOpen && witness.farewell == nil {
      witness.omissions()
    }
    for name in libraries.keys.sorted() { libraries[name]?.omissions() }
    // What several servers have cannot be told from what one of them knows.
    if nats != nil { return checkStored() }
    oracle.checkDeliveries()
    findStarved()
    checkStages()
    checkLetters()
  }

  /// What came to a stage, and what it made, went on, was dropped, is inside, or became something else.
  private func checkStages() {
    for kind in ["pipelines", "runs"] {
      for row in told("LIST \(kind)").map(Row.init) where row.words.count > 1 {
        let name = row.words[1]
        let shown = told("SHOW \(name)").map(Row.init)
        let stages = shown.filter { $0.words.first == "stage" && $0["in"] != nil }
        for stage in stages {
          let came = stage.sum(of: ["in", "made"])
          let went = stage.sum(of: ["out", "dropped", "held", "consumed", "left"])
          if came != went {
            oracle.complain("\(name): \(came) came and \(went) are told of: \(stage.text)")
          }
        }
        let streams = shown.filter { $0.words.first == "stream" }
        if kind == "pipelines" { checkDrops(name, stages, streams) }
      }
    }
  }

  /// What a pipeline has made went to its streams, and what its stages dropped is told as missed to one of them, if
  /// all streams that it ever had are open.
  private func checkDrops(_ name: String, _ stages: [Row], _ streams: [Row]) {
    guard let definition = story.definitions.first(where: { $0.hasPrefix("PIPELINE \(name) ") }),
      let traffic = oracle.traffic[name], traffic.isReadByName, !oracle.isUnsteady,
      traffic.readers.openings == streams.count, let last = stages.last
    else { return }
    oracle.cover("pipeline with all of its streams")
    let (made, dropped) = (last.sum(of: ["out"]), stages.reduce(0) { $0 + $1.sum(of: ["dropped"]) })
    let values = streams.reduce(0) { $0 + $1.sum(of: ["values"]) }
    let missed = streams.reduce(0) { $0 + $1.sum(of: ["missed"]) }
    // What is shared is dropped once for all streams, and what misses a second subject in no stage.
    let sources = definition.split { !$0.isLetter && !$0.isNumber }.count { word in
      story.definitions.contains { "\($0) ".hasPrefix("SUBJECT \(word) ") }
    }
    let isCountedOnce = sources == 1 && !definition.contains(".share(")
    if made != values || dropped > missed || isCountedOnce && dropped != missed {
      oracle.complain(
        "\(name): \(made) made and \(dropped) dropped, but \(values) came and \(missed) were missed"
      )
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
    let open = told("LIST streams").map(Row.init)
    let streams = open.filter { $0.words.first == "stream" }
    checkStreams(streams, publications: open.filter { $0.words.first == "publication" })
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
      row.words.number(of: "published").map { oracle.checkPublished(row.words[1], $0) }
      let waits = row["waiting"] != "0" && row["subscriptions"] != "0"
      if waits, allHaveDemand, !hasRuns {
        oracle.complain("values wait at \(row.text), though all who read have demand")
      }
    }
  }

  /// What is told of open streams is what their clients know.
  private func checkStreams(_ rows: [Row], publications: [Row]) {
    var numbers: [String: String] = [:]
    for row in told("LIST clients").map(Row.init) where row.words.count > 2 {
      numbers[row["peer"] ?? ""] = row.words[1]
    }
    for (actor, witness) in everybody where actor.isOpen && witness.farewell == nil {
      guard let peer = actor.ownAddress, let number = numbers[peer] else { continue }
      func figures(_ rows: [Row]) -> [String: StreamFigures] {
        let own = rows.filter { $0["client"] == number }.map { row in
          let values = row.words.number(of: "values") ?? -1
          return (row["id"] ?? "", StreamFigures(demand: row["demand"] ?? "", values: values))
        }
        return Dictionary(own) { $1 }
      }
      witness.checkStreams(figures(rows), publications: figures(publications))
    }
  }

  /// All go, and the server has nothing left of them.
  private func leave() {
    for (actor, _) in everybody { actor.close() }
    for name in libraries.keys.sorted() { libraries[name]?.close() }
    for name in users.keys.sorted() { users[name]?.close() }
    bystander?.leave()
    // So long the kernel takes to find out who is gone.
    world.run(for: 150_000_000_000)
    drain()
    world.run(for: 100_000_000_000)
    let rows = statistics()
    var expected = [
      "flow_connections": "1",
      "flow_streams{kind=\"subscription\"}": "0",
      "flow_streams{kind=\"publication\"}": "0",
      "flow_streams{kind=\"service\"}": "0",
      "flow_calls{state=\"waiting\"}": "0",
      "flow_calls{state=\"running\"}": "0",
    ]
    // A share that replays keeps its last values for those who come.
    if told("LIST runs").isEmpty, !"\(story)".contains("share(") {
      expected["flow_held_bytes{by=\"pipelines\"}"] = "0"
    }
    let subjects = told("LIST subjects")
    if !subjects.contains(where: { $0.contains(" replay ") || $0.contains(" current ") }) {
      expected["flow_held_bytes{by=\"subjects\"}"] = "0"
    }
    for (metric, value) in expected.sorted(by: { $0.key < $1.key }) where rows[metric] != value {
      oracle.complain("when all have gone \(metric) is \(rows[metric] ?? "not told")")
    }
    let held = rows["flow_held_bytes{by=\"connections\"}"].flatMap { Int($0) } ?? .max
    if held > Self.bytesOfOne { oracle.complain("when all have gone \(held) bytes are held") }
  }

  private func statistics() -> [String: String] {
    var rows: [String: String] = [:]
    for row in told("STATS").map(Row.init) where row.words.count > 1 {
      rows[row.words[0]] = row.words[1]
    }
    return rows
  }

  /// What one connection may hold that does no more than ask: its answer, in pieces of a pool.
  private static let bytesOfOne = 128 << 10

  /// Takes what those who have gone had sent, and waits for room.
  private func drain() {
    var names = told("LIST subjects").map(Row.init).filter { $0.words.count > 1 }.map {
      $0.words[1]
    }
    // What is taken may let a line be read that ends the reader: a KILL NAME of who has gone since.
    for _ in 0..<4 where !names.isEmpty {
      for name in names {
        let reader = Actor(ActorModel(name: "drain"), world, heard: { _ in }, ended: { _ in })
        guard let place = ServerProcess.place, reader.connect(to: place) else { return }
        reader.say("AUTH \(ServerProcess.password)\nSUB \(name) max\n")
        world.run(for: 5_000_000_000)
        reader.close()
      }
      let rows = told("LIST subjects").map(Row.init).filter { $0.words.count > 1 }
      names = rows.filter { $0["waiting"] ?? "0" != "0" }.map { $0.words[1] }
    }
  }

  /// The rows that a connection of its own is told, by the first server unless another one is asked.
  func told(_ line: String, by server: ServerProcess? = nil) -> [String] {
    var model = ActorModel(name: "auditor")
    model.gulp = 1 << 20
    var rows: [String] = []
    var isDone = false
    let actor = Actor(
      model,
      world,
      heard: { [chronicle] item in
        chronicle.note("auditor< \(item.text)")
        if item.text.hasPrefix("* ") { rows.append(item.text) }
        if item.text == "PONG done" { isDone = true }
      },
      ended: { _ in }
    )
    guard let place = (server ?? process).place, actor.connect(to: place) else {
      oracle.complain("nobody listens at the end")
      return []
    }
    actor.say("AUTH \(ServerProcess.password)\n\(line)\nPING done\n")
    if !world.run(atMost: 60_000_000_000, until: { isDone }) {
      oracle.complain("no answer to \(line) at the end")
    }
    actor.close()
    return rows
  }

  private func end() {
    process.stop()
    second?.stop()
    nats?.stop()
    everybody = []
    cast = [:]
    libraries = [:]
    users = [:]
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
