/// Writes stories of two servers that share subjects in NATS, each from its seed.
package struct NATSAuthor {
  private var dice: Dice
  private var story: Story
  private var time = 0
  private var value = 0
  private var ids: [String: Int] = [:]
  /// The streams of each client that are no durable subscriptions.
  private var streams: [String: [String]] = [:]
  /// The subjects that clients send to.
  private var subjects = ["n0"]
  private var read = ["n0"]
  private var hasRun = false
  /// Whether the run sends what it has no answer for to `n2`.
  private var hasLetters = false

  package static func story(_ seed: UInt64) -> Story {
    var author = NATSAuthor(seed)
    return author.write()
  }

  private init(_ seed: UInt64) {
    dice = Dice(seed: seed ^ 0x4E_4154_5300)
    story = Story(seed: seed)
  }

  private mutating func write() -> Story {
    define()
    for name in ["A", "B", "C", "D"] { hire(name) }
    for actor in story.actors { greet(actor.name) }
    time += 1000
    if hasRun {
      let letters = hasLetters ? "failed=n2 " : ""
      say("A", "RUN r0 \(letters)= n0.map { $0 + \(StoredSubjects.step) }.assign(to: n1)")
      time += 1000
    }
    for actor in story.actors where dice.chance(60) { subscribe(actor.name) }
    let count = dice.pick(10...100)
    // What a run has made of lost values cannot be told from what it has not.
    let loss = !hasRun && dice.chance(40) ? dice.pick(0..<count) : count
    for number in 0..<count {
      if number == loss { lose() }
      act()
    }
    time += 3000
    for subject in subjects { say("A", "SEND \(subject) \(text())") }
    // Some steps were written before others that come earlier.
    let steps = story.steps.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    story.steps = steps.map(\.element)
    return story
  }

  // MARK: What there is

  private mutating func define() {
    hasRun = dice.chance(30)
    let flow = hasRun || dice.chance(80) ? "slowest" : "free"
    let room = flow == "slowest" && dice.chance(20) ? " room=\(dice.pick(8...64))" : ""
    story.definitions.append("SUBJECT n0 flow=\(flow) on=nats\(room)")
    guard hasRun || dice.chance(50) else { return }
    story.definitions.append("SUBJECT n1 flow=slowest on=nats")
    read.append("n1")
    if !hasRun { subjects.append("n1") }
    hasLetters = hasRun && dice.chance(60)
    guard hasLetters else { return }
    story.definitions.append("SUBJECT n2 flow=slowest on=nats")
    read.append("n2")
  }

  /// A and C are at the first server, B and D at the second one; C and D take values one by one, as those have to who
  /// acknowledge each.
  private mutating func hire(_ name: String) {
    var actor = ActorModel(name: name)
    actor.isAtSecond = name == "B" || name == "D"
    actor.asking =
      name == "C" || name == "D" ? .oneByOne : dice.pick(ActorModel.Asking.allCases)
    story.actors.append(actor)
  }

  // MARK: What they do

  private mutating func add(_ who: String, _ what: Story.Act) {
    story.steps.append(Story.Step(time: time, who: who, what: what))
  }

  private mutating func say(_ who: String, _ line: String) { add(who, .say(line)) }

  private mutating func greet(_ who: String) {
    add(who, .connect)
    say(who, "HELLO 1 name=\(who)")
    ids[who] = 0
    streams[who] = []
  }

  /// A number, or a text, for which the run has no answer.
  private mutating func text() -> String {
    value += 1
    return hasLetters && dice.chance(30) ? "\"x\(value)\"" : "\(value)"
  }

  private mutating func act() {
    // Much happens at once, and then nothing for a while.
    if dice.chance(60) { time += dice.size(upTo: 3000) }
    let who = dice.pick(story.actors).name
    switch dice.pick(0...99) {
    case 0..<45: publish(who)
    case 45..<62: subscribe(who)
    case 62..<76: ask(who)
    case 76..<82: cancel(who)
    case 82..<88: leave(who)
    case 88..<97: trouble()
    default: kill()
    }
  }

  private mutating func publish(_ who: String) {
    let subject = dice.pick(subjects)
    for _ in 0..<dice.size(upTo: 12) { say(who, "SEND \(subject) \(text())") }
  }

  private mutating func subscribe(_ who: String) {
    let id = "\((ids[who] ?? 0) + 1)"
    ids[who] = (ids[who] ?? 0) + 1
    let subject = dice.pick(read)
    if who == "C" || who == "D", dice.chance(50) {
      let name = dice.pick(["d", "d", "e"])
      return say(who, "SUB \(subject) \(dice.pick(1...5)) as=\(id) durable=\(name)")
    }
    let demand = dice.chance(40) ? "max" : "\(dice.size(upTo: 50))"
    say(who, "SUB \(subject) \(demand) as=\(id)")
    streams[who, default: []].append(id)
  }

  private mutating func ask(_ who: String) {
    guard let open = streams[who], !open.isEmpty else { return }
    say(who, "REQ \(dice.pick(open)) \(dice.size(upTo: 50))")
  }

  private mutating func cancel(_ who: String) {
    let highest = ids[who] ?? 0
    guard highest > 0 else { return }
    say(who, "CANCEL \(dice.pick(1...highest))")
  }

  private mutating func leave(_ who: String) {
    add(who, dice.pick([.close, .reset]))
    time += dice.size(upTo: 3000)
    greet(who)
  }

  // MARK: What goes wrong

  private mutating func add(_ event: NATSEvent) { add("nats", .nats(event)) }

  /// Does something at a later time, while other things go on.
  private mutating func later(_ event: NATSEvent, after milliseconds: Int) {
    story.steps.append(
      Story.Step(time: time + milliseconds, who: "nats", what: .nats(event))
    )
  }

  private mutating func trouble() {
    switch dice.pick(0...4) {
    case 0: add(.stop(dice.size(upTo: 20_000)))
    case 1, 2: add(.cut)
    case 3:
      add(.slow(dice.pick([20, 200, 2000])))
      later(.slow(0), after: dice.size(upTo: 20_000))
    default:
      add(.fill(dice.pick(0...5)))
      later(.hasRoom, after: dice.size(upTo: 30_000))
    }
  }

  /// A server is killed, and its clients come back to the one that is started in its place.
  private mutating func kill() {
    let isSecond = dice.chance(50)
    let pause = dice.size(upTo: 5000)
    add(isSecond ? "second" : "server", .kill(pause))
    time += pause + 6000
    for actor in story.actors where actor.isAtSecond == isSecond {
      greet(actor.name)
      if dice.chance(60) { subscribe(actor.name) }
    }
  }

  /// NATS loses values when all that were sent are answered, and nobody sends more before the servers have found out:
  /// a value in the place of a lost one would hide it.
  private mutating func lose() {
    // Until what went wrong before is over.
    time = max(time, story.steps.map(\.time).max() ?? 0) + 30_000
    add(.hasRoom)
    add(.slow(0))
    for _ in 0..<dice.pick(1...3) { publish(dice.pick(["A", "B"])) }
    time += dice.pick(6000...8000)
    let subject = dice.pick(subjects)
    add(dice.chance(60) ? .loseEnd(subject, dice.pick(1...5)) : .loseStream(subject))
    time += dice.pick(15_000...20_000)
    guard dice.chance(50) else { return }
    say("A", "DELETE \(subject)")
    time += 6000
    if let line = story.definitions.first(where: { $0.hasPrefix("SUBJECT \(subject) ") }) {
      say("A", line)
    }
    time += 3000
  }
}
