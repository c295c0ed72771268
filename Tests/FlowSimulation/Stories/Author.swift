import FlowLanguage

/// Writes stories, each from its seed.
package struct Author {
  private var dice: Dice
  private var story: Story
  private var time = 0
  private var subjects: [String] = []
  private var services: [String] = []
  private var pipelines: [String] = []
  private var hasLetters = false
  private var value = 0
  private var ids: [String: Int] = [:]
  private var subscriptions = 0
  private var framed: Set<String> = []
  /// Those who let the server number their streams.
  private var nameless: Set<String> = []

  package static func story(_ seed: UInt64) -> Story {
    var author = Author(seed)
    return author.write()
  }

  private init(_ seed: UInt64) {
    dice = Dice(seed: seed ^ 0x5EED)
    story = Story(seed: seed)
  }

  private mutating func write() -> Story {
    define()
    let people = dice.pick(2...6)
    for index in 0..<people { story.actors.append(actor(String(UnicodeScalar(UInt8(65 + index))))) }
    if dice.chance(20) {
      for number in 1...dice.pick(1...4) { story.tokens.append(token(number)) }
    }
    for actor in story.actors { greet(actor.name) }
    if dice.chance(40) { hire("L", speaking: .library) }
    if dice.chance(30) { hire("U", speaking: .program) }
    if dice.chance(40) { startClock() }
    for _ in 0..<dice.size(upTo: 160) { act() }
    return story
  }

  // MARK: What there is

  private mutating func define() {
    services = ["double", "other"]
    for index in 0..<dice.pick(1...3) {
      let name = "s\(index)"
      subjects.append(name)
      let kind = dice.pick(["", "", "", " current 0", " replay 3", " replay 40"])
      let flow = dice.pick([
        "", " flow=slowest", " flow=slowest", " flow=slowest stall=2s",
        " flow=slowest stall=2s rate=2/s",
      ])
      story.definitions.append("SUBJECT \(name)\(kind)\(flow)")
    }
    for index in 0..<dice.pick(0...2) {
      let name = "p\(index)"
      story.definitions.append("PIPELINE \(name) = \(dice.pick(subjects))\(lasting())")
      pipelines.append(name)
    }
    hasLetters = dice.chance(50)
    guard hasLetters else { return }
    for number in 1...3 { story.definitions.append("SUBJECT l\(number) replay 1000") }
  }

  /// A line of a token file.
  private mutating func token(_ number: Int) -> String {
    let rights = dice.pick([
      "all", "all", "sub,pub", "sub", "pub", "sub,send,define", "serve,sub", "hold,sub",
    ])
    let patterns = dice.pick(["", "", " *", " s0,p*", " *,!s1", " s*,d*"])
    return "t\(number) \(rights)\(patterns)"
  }

  private mutating func authorize(_ who: String) {
    if dice.chance(90), let line = story.tokens.isEmpty ? nil : dice.pick(story.tokens) {
      return say(who, "AUTH \(line.prefix { $0 != " " })")
    }
    if dice.chance(50) { say(who, "AUTH \(dice.pick(["t1", "t6", "nothing"]))") }
  }

  private mutating func actor(_ name: String) -> ActorModel {
    var actor = ActorModel(name: name)
    actor.asking = dice.pick(ActorModel.Asking.allCases)
    actor.working = dice.chance(60) ? .answers : dice.pick(ActorModel.Working.allCases)
    if dice.chance(20) { actor.gulp = dice.size(upTo: 4096) }
    if dice.chance(20) { actor.rest = dice.size(upTo: 200_000) }
    return actor
  }

  /// Somebody of this name takes part.
  private mutating func hire(_ name: String, speaking speech: ActorModel.Speech) {
    var actor = ActorModel(name: name)
    actor.speaks = speech
    story.actors.append(actor)
    add(name, .connect)
  }

  private mutating func useLibrary() {
    switch dice.pick(0...9) {
    case 0...3:
      subscriptions += 1
      say("L", "SUB \(expression()) \(demand())")
    case 4, 5: say("L", "REQ \(dice.pick(1...max(1, subscriptions))) \(demand())")
    case 6: say("L", "CANCEL \(dice.pick(1...max(1, subscriptions)))")
    case 7:
      let values = (0..<dice.size(upTo: 40)).map { _ in text() }
      say("L", "PUB \(dice.pick(subjects)) \(values.joined(separator: " "))")
    case 8: say("L", "SERVE \(dice.pick(services)) \(dice.pick(1...4))")
    default: add("L", .reset)
    }
  }

  private mutating func useProgram() {
    switch dice.pick(0...9) {
    case 0...2:
      let quoted = expression().replacing("'", with: "")
      let count = dice.chance(50) ? " -n \(dice.size(upTo: 40))" : ""
      let window = dice.chance(30) ? " --demand \(dice.pick(["1", "3", "100", "max"]))" : ""
      let delay = dice.chance(20) ? " --delay \(dice.size(upTo: 900))ms" : ""
      let length = dice.chance(20) ? " --for \(dice.size(upTo: 9000))ms" : ""
      let timeout = dice.chance(20) ? " --timeout \(dice.size(upTo: 9000))ms" : ""
      say("U", "sub '\(quoted)'\(count)\(window)\(delay)\(length)\(timeout)")
    case 3:
      let values = (0..<dice.pick(1...5)).map { _ in text() }
      say("U", "send \(dice.pick(subjects)) \(values.joined(separator: " "))")
    case 4:
      value += 1
      let rate = dice.chance(50) ? " --rate \(dice.pick(["1", "50", "9k"]))/s" : ""
      let timeout = dice.chance(30) ? " --timeout \(dice.size(upTo: 9000))ms" : ""
      let count = dice.size(upTo: rate.isEmpty ? 3000 : 20)
      say("U", "send \(dice.pick(subjects)) \(value)000{n} --count \(count)\(rate)\(timeout)")
    case 5:
      let values = (0..<dice.size(upTo: 200)).map { _ in text() }
      say("U", "send \(dice.pick(subjects)) < \(values.joined(separator: "\u{2424}"))\u{2424}")
    case 6:
      say(
        "U",
        dice.pick(["list", "list streams", "stats", "ping", "help demand", "show s0", "show no"])
      )
    case 7: say("U", dice.pick(["check", "check s0", "check no --timeout 300ms"]))
    case 8: add("U", dice.chance(50) ? .endInput : .reset)
    default:
      let lines = (0..<dice.pick(1...5)).map { _ in
        dice.pick(["PING", "LIST", "nonsense", "SUB \(finite()) max", "HELLO 1", "STATS"])
      }
      say("U", "converse < \(lines.joined(separator: "\u{2424}"))")
    }
  }

  /// Somebody has a timer go, so that there is often something due as others speak.
  private mutating func startClock() {
    hire("T", speaking: .bytes)
    let period = dice.pick(5...100)
    say("T", "SUB Timer.publish(every: .milliseconds(\(period))).autoconnect() max")
  }

  // MARK: What they do

  private mutating func add(_ who: String, _ what: Story.Act) {
    story.steps.append(Story.Step(time: time, who: who, what: what))
  }

  private mutating func say(_ who: String, _ line: String) { add(who, .say(line)) }

  private mutating func greet(_ who: String) {
    add(who, .connect)
    framed.remove(who)
    ids[who] = 0
    if dice.chance(20) { nameless.insert(who) } else { nameless.remove(who) }
    if !story.tokens.isEmpty || dice.chance(2) { authorize(who) }
    if dice.chance(60) {
      say(who, "HELLO 1 name=\(who)")
      framed.insert(who)
    }
  }

  private mutating func act() {
    // Much happens at once, and then nothing for a while.
    if dice.chance(60) { time += dice.size(upTo: 3000) }
    if dice.chance(3) { add("server", .sleep(dice.size(upTo: 50))) }
    let who = dice.pick(story.actors).name
    if who == "T" { return }
    if who == "L" { return useLibrary() }
    if who == "U" { return useProgram() }
    switch dice.pick(0...99) {
    case 0..<22: subscribe(who)
    case 22..<40: ask(who)
    case 40..<62: publish(who)
    case 62..<70: cancel(who)
    case 70..<76: serve(who)
    case 76..<82: command(who)
    case 82..<86: complete(who)
    case 86..<93: suffer(who)
    case 93..<96: rehearse(who)
    default: world()
    }
  }

  /// What goes wrong only if it comes in this order, and soon after one another.
  private mutating func rehearse(_ who: String) {
    let others = story.actors.filter { $0.name != who && $0.speaks == .bytes && $0.name != "T" }
    guard let other = others.isEmpty ? nil : dice.pick(others).name, !nameless.contains(who) else {
      return
    }
    let subject = dice.pick(subjects)
    switch dice.pick(0...4) {
    case 0:
      // Values are missed, and nobody has told of them when the stream is cancelled.
      let id = nextID(who)
      say(who, "SUB \(subject) \(dice.pick(1...3)) as=\(id)")
      time += dice.pick(1...50)
      for _ in 0..<dice.pick(1...9) { say(other, "SEND \(subject) \(text())") }
      time += dice.pick(1...200)
      say(who, "CANCEL \(id)")
    case 1:
      // Memory is short only until somebody looks.
      add("server", .shortOfMemory(true))
      time += dice.pick(1...2000)
      say(other, "SEND \(subject) \(text())")
      time += dice.pick(1...2000)
      add("server", .shortOfMemory(false))
      time += dice.pick(1...2000)
      greet(who)
    case 2:
      // A publication ends, and what it holds goes out afterwards.
      guard !nameless.contains(other) else { return }
      let id = nextID(who)
      let publication = nextID(other)
      say(who, "SUB \(subject) 1 as=\(id)")
      time += dice.pick(1...50)
      say(other, "PUB \(subject) as=\(publication) grant=\(dice.pick(2...9)) over=hold")
      for _ in 0..<dice.pick(2...9) { say(other, valueFrame(publication)) }
      say(other, "DONE \(publication)")
      for _ in 0..<dice.pick(1...3) {
        time += dice.pick(1...200)
        say(who, "REQ \(id) \(dice.pick(1...9))")
      }
    case 3:
      // A pipeline is read one by one, while values come to what it reads.
      guard !pipelines.isEmpty else { return }
      let id = nextID(who)
      say(who, "SUB \(dice.pick(pipelines)) 1 as=\(id)")
      for _ in 0..<dice.pick(3...12) {
        time += dice.pick(1...300)
        say(other, "SEND \(dice.pick(subjects)) \(text())")
        if dice.chance(50) { say(who, "REQ \(id) 1") }
      }
    default:
      // There is room for some lines that wait, and their end is heard at the same time.
      let id = nextID(who)
      say(who, "SUB \(subject) 1 as=\(id)")
      time += dice.pick(1...50)
      greet(other)
      say(other, "FEED \(subject)")
      for _ in 0..<dice.pick(2...9) { say(other, text()) }
      time += dice.pick(1...200)
      say(who, "REQ \(id) \(dice.pick(1...9))")
      add(other, .endInput)
      add("server", .sleep(dice.pick(1...100)))
      time += dice.pick(1000...9000)
      greet(other)
    }
  }

  private mutating func nextID(_ who: String) -> String {
    let id = (ids[who] ?? 0) + 1
    ids[who] = id
    return "\(id)"
  }

  private mutating func someID(_ who: String) -> String {
    let highest = ids[who] ?? 0
    return "\(dice.chance(95) && highest > 0 ? dice.pick(1...highest) : dice.pick(1...99))"
  }

  private mutating func demand() -> String {
    switch dice.pick(0...9) {
    case 0: "max"
    case 1...4: "\(dice.pick(1...3))"
    case 5...7: "\(dice.size(upTo: 100))"
    case 8: "\(dice.size(upTo: 100_000))"
    default: dice.pick(["1", "9223372036854775807", "18446744073709551615"])
    }
  }

  private mutating func subscribe(_ who: String) {
    let expression = expression()
    let new = nextID(who)
    let id = nameless.contains(who) ? "" : " as=\(dice.chance(92) ? new : someID(who))"
    let verb = dice.pick(["SUB", "SUB", "SUB", "TAKE"])
    let asked = verb == "TAKE" ? " \(dice.pick(1...20))" : dice.chance(80) ? " \(demand())" : ""
    let extra = dice.chance(20) ? " window=\(dice.pick(["1", "1KiB", "5KiB", "4MiB"]))" : ""
    say(who, "\(verb) \(expression)\(asked)\(id)\(verb == "SUB" ? extra : "")")
  }

  private mutating func ask(_ who: String) {
    let target = dice.chance(92) ? someID(who) : dice.pick(subjects)
    say(who, "REQ \(target) \(dice.chance(97) ? demand() : dice.pick(["0", "-1", "x"]))")
  }

  private mutating func text() -> String {
    value += 1
    return "\(value)" + (dice.chance(2) ? "~\(dice.size(upTo: 60_000))" : "")
  }

  private mutating func valueFrame(_ id: String) -> String {
    guard dice.chance(10) else { return "= \(id) \(text())" }
    return ": \(id) \(dice.chance(30) ? "\(text())\u{2424}" : "")\(text())"
  }

  private mutating func publish(_ who: String) {
    let subject = dice.pick(subjects)
    switch nameless.contains(who) ? 0 : dice.pick(0...9) {
    case 0...4:
      for _ in 0..<dice.size(upTo: 12) { say(who, "SEND \(subject) \(text())") }
    case 5, 6:
      let id = nextID(who)
      let grant = dice.chance(50) ? " grant=\(dice.size(upTo: dice.pick([4, 100])))" : ""
      let over = dice.chance(60) ? " over=\(dice.pick(["hold", "cancel", "drop"]))" : ""
      let owner = dice.chance(10) ? " owner=yes" : ""
      say(who, "PUB \(subject) as=\(id)\(grant)\(over)\(owner)")
      for _ in 0..<dice.size(upTo: 60) { say(who, valueFrame(id)) }
      if dice.chance(50) { say(who, "DONE \(id)") }
    case 7, 8:
      for _ in 0..<dice.size(upTo: 40) { say(who, valueFrame(someID(who))) }
    default:
      say(who, "FEED \(subject)")
      for _ in 0..<dice.size(upTo: 60) { say(who, text()) }
      if dice.chance(60) { return say(who, ".") }
      // What there is room for, and the end, are to be heard together.
      time += dice.size(upTo: 50)
      for reader in story.actors where reader.name != who && reader.speaks == .bytes {
        switch dice.pick(0...5) {
        case 0, 1: say(reader.name, "REQ \(someID(reader.name)) \(dice.pick(1...3))")
        case 2,
          3 where !nameless.contains(reader.name):
          say(reader.name, "SUB \(subject) \(dice.pick(1...3)) as=\(nextID(reader.name))")
        default: break
        }
      }
      let end = Story.Step(time: time, who: who, what: dice.pick([.endInput, .reset, .close]))
      story.steps.insert(end, at: story.steps.count - dice.pick(0...min(2, story.steps.count)))
      add("server", .sleep(dice.pick(1...100)))
      // Whoever comes again at once has left without a look at the answer.
      if dice.chance(80) { time += dice.pick(1000...9000) }
      greet(who)
    }
  }

  private mutating func cancel(_ who: String) {
    say(who, "CANCEL \(dice.chance(90) ? someID(who) : dice.pick(subjects))")
  }

  private mutating func serve(_ who: String) {
    if dice.chance(70), !nameless.contains(who) {
      let id = nextID(who)
      say(who, "SERVE \(dice.pick(services)) \(dice.pick(["", "1", "3", "max"])) as=\(id)")
    } else {
      let call = "\(someID(who)).\(dice.pick(1...5))"
      say(who, dice.pick(["= \(call) 7", "DONE \(call)", "FAIL \(call) x"]))
    }
  }

  private mutating func command(_ who: String) {
    let name = dice.pick(subjects + pipelines + ["nobody"])
    switch dice.pick(0...11) {
    case 0: say(who, "PING \(dice.pick(0...9))")
    case 1:
      say(who, "LIST \(dice.pick(["", "subjects", "streams", "clients", "services", "runs"]))")
    case 2: say(who, "SHOW \(name)")
    case 3: say(who, "STATS \(dice.chance(50) ? name : "")")
    case 4: say(who, "EXPLAIN \(expression())")
    case 5: say(who, "@t\(dice.pick(1...9)) SEND \(dice.pick(subjects)) \(text())")
    case 6: say(who, "@r\(dice.pick(1...9)) REQ \(someID(who)) 2")
    case 7: say(who, dice.pick(["", "# nothing", "nonsense", "HELP demand", "SUB", "REQ 1"]))
    case 8: say(who, "PIPELINE q\(dice.pick(1...3)) = \(dice.pick(subjects))\(lasting())")
    case 9:
      let target = dice.pick(subjects)
      let end = dice.pick([".subscribe(\(target))", ".assign(to: \(target))"])
      let number = dice.pick(1...3)
      guard hasLetters, dice.chance(60) else {
        return say(who, "RUN r\(number) = \(dice.pick(subjects + [finite()]))\(end)")
      }
      let expression = finite() + omitting(dice.pick(1...9)) + finiteOperators()
      say(who, "RUN r\(number) failed=l\(number) = \(expression)\(end)")
    case 10: say(who, "DELETE r\(dice.pick(1...3))")
    default: say(who, "SUBJECT x\(dice.pick(1...2)) \(dice.pick(["", "flow=slowest"]))")
    }
  }

  private mutating func complete(_ who: String) {
    switch dice.pick(0...9) {
    case 0, 1: say(who, "DONE \(dice.pick(subjects))")
    case 2: say(who, "FAIL \(dice.pick(subjects)) broken for good")
    case 3: say(who, "DELETE \(dice.pick(subjects))")
    case 4: say(who, "KILL STREAM \(dice.pick(1...8)) \(dice.pick(1...6))")
    case 5: say(who, "KILL NAME \(dice.pick(subjects))")
    case 6: say(who, "KILL CLIENT \(dice.pick(2...9))")
    default: say(who, "DONE \(someID(who))")
    }
  }

  private mutating func suffer(_ who: String) {
    switch dice.pick(0...9) {
    case 0, 1: add(who, .stopReading)
    case 2, 3: add(who, .readOn)
    case 4: add(who, .stall(dice.size(upTo: 8000)))
    case 5: add(who, .endInput)
    case 6: say(who, dice.pick(["QUIT", "QUIT now"]))
    case 7: add(who, dice.pick([.close, .reset]))
    case 8: add(who, dice.chance(70) ? .vanish : .babble(dice.size(upTo: 100_000)))
    case 9:
      say(who, "TAIL \(dice.chance(50) ? dice.pick(subjects) : finite() + finiteOperators())")
    default: break
    }
    if dice.chance(40) { greet(who) }
  }

  private mutating func world() {
    switch dice.pick(0...9) {
    case 0: add("server", .sleep(dice.size(upTo: 20_000)))
    case 1: add("server", .reload(story.definitions))
    case 2: add("server", .reload(story.definitions + ["SUBJECT y"]))
    case 3: add("server", .failingReload)
    case 4: add("server", .shortOfDescriptors(dice.chance(50)))
    case 5: add("server", .shortOfMemory(dice.chance(30)))
    case 6: if dice.chance(30) { add("server", .restart) }
    case 7:
      let kept = story.tokens.dropLast(dice.pick(0...1))
      if dice.chance(60) {
        add("server", .newTokens(kept + [token(kept.count + dice.pick(1...4))]))
      }
    default: break
    }
  }

  // MARK: Expressions

  private mutating func expression() -> String {
    switch dice.pick(0...9) {
    case 0...2: dice.pick(subjects)
    case 3...4: dice.pick(subjects) + lasting()
    case 5: pipelines.isEmpty ? dice.pick(subjects) : dice.pick(pipelines)
    case 6:
      "(1...\(dice.pick(1...9))).publisher.flatMap(maxPublishers: .max(\(dice.pick(1...3)))) "
        + "{ ask(\(dice.pick(services)), $0) }"
    case 7: example()
    default: finite() + finiteOperators()
    }
  }

  /// What docs/language.md shows of an operator, by itself or behind others.
  private mutating func example() -> String {
    let example = dice.pick(Self.examples)
    guard dice.chance(50), let dot = example.firstIndex(of: ".") else { return ofSubjects(example) }
    let source = dice.chance(50) ? finite() + finiteOperators() : dice.pick(subjects) + lasting()
    return source + ofSubjects(String(example[dot...]))
  }

  /// With the subjects of this story for those of the page.
  private mutating func ofSubjects(_ text: String) -> String {
    var result = ""
    var word = ""
    for sign in text + " " {
      if sign.isLetter {
        word.append(sign)
        continue
      }
      result += Self.exampleNames.contains(word) ? dice.pick(subjects) : word
      result.append(sign)
      word = ""
    }
    return String(result.dropLast())
  }

  private static let examples = OperatorTable.all.filter { $0.role != .ending }.map(\.example)

  /// What the examples read, which are the words they begin with.
  private static let exampleNames = Set(
    OperatorTable.all.filter { $0.role == .stage }.compactMap { entry in
      entry.example.first?.isLowercase ?? false ? String(entry.example.prefix { $0.isLetter }) : nil
    }
  )

  private mutating func finite() -> String {
    switch dice.pick(0...5) {
    case 0: "Just(\(dice.pick(1...9)))"
    case 1: "Empty()"
    case 2: "Fail(\"no\")"
    case 3:
      "[\((0..<dice.pick(1...12)).map { _ in "\(dice.pick(0...9))" }.joined(separator: ", "))].publisher"
    default: "(1...\(dice.size(upTo: 300))).publisher"
    }
  }

  private mutating func finiteOperators() -> String {
    (0..<dice.pick(0...4)).map { _ in
      let number = dice.pick(1...9)
      if dice.chance(20) { return omitting(number) }
      return dice.pick([
        ".map { $0 * \(number) }", ".map { $0 + \(number) }", ".filter { $0 % \(number) == 0 }",
        ".filter { $0 > \(number) }", ".prefix(\(number))", ".dropFirst(\(number))", ".dropFirst()",
        ".first()", ".last()", ".count()", ".collect()", ".collect(\(number))",
        ".reduce(0) { $0 + $1 }", ".scan(0) { $0 + $1 }", ".min()", ".max()",
        ".contains(\(number))", ".allSatisfy { $0 > \(number) }", ".removeDuplicates()",
        ".output(at: \(number))", ".ignoreOutput()", ".replaceEmpty(with: \(number))",
        ".append(\(number), 3)", ".append((1...\(number)).publisher)", ".prepend(\(number))",
        ".prepend((1...\(number)).publisher)", ".zip((1...\(number * 3)).publisher)",
        ".combineLatest((1...\(number)).publisher)",
        ".withLatest(from: (1...\(number)).publisher) { a, b in a * 100 + b }",
        ".merge(with: (1...\(number)).publisher)", ".flatMap { Just($0) }",
        ".flatMap(maxPublishers: .max(\(number))) { Just($0) }",
        ".flatMap(maxPublishers: .max(1)) { [$0, $0 + 1].publisher }",
        ".map { n in [n, n + 1].publisher }.switchToLatest()", ".catch { _ in Just(7) }",
        ".replaceError(with: \(number))", ".retry(\(number % 3))",
        ".eraseToAnyPublisher()", ".share()",
        ".buffer(size: \(number), prefetch: .byRequest, whenFull: .dropNewest)",
        ".buffer(size: \(number), prefetch: .byRequest, whenFull: .dropOldest)",
        ".buffer(size: \(number), prefetch: .keepFull, whenFull: .dropOldest)",
        ".delay(for: 0.\(number))",
        ".drop { $0 < \(number) }",
      ])
    }.joined()
  }

  /// An operator whose closure has no answer for `number`, with or without `try`.
  private mutating func omitting(_ number: Int) -> String {
    let distance = "60 / ($0 - \(number))"
    let other = "60 / ($1 - \(number))"
    let source = "(1...\(dice.pick(1...12))).publisher"
    if dice.chance(30) {
      // Those for which Combine has none with `try`.
      return dice.pick([
        ".flatMap { Just(\(distance)) }", ".concatMap { Just(\(distance)) }",
        ".flatMapLatest { Just(\(distance)) }", ".exhaustMap { Just(\(distance)) }",
        ".map { Just(\(distance)) }.switchToLatest()", ".zip(\(source)) { \(distance) + $1 }",
        ".combineLatest(Just(1)) { \(distance) + $1 }",
        ".withLatest(from: \(source)) { a, b in 60 / (a - \(number)) + b }",
        ".group(by: { \(distance) }) { $0.count() }",
        ".join(Just(1), on: { \(distance) }, within: 5) { [$0, $1] }",
        ".join(Just(1), on: { _ in 1 }, within: 5) { \(distance) + $1 }",
        ".window(1) { $0.map { \(distance) } }",
      ])
    }
    let (name, argument, closure) = dice.pick([
      ("map", "", distance), ("compactMap", "", "\(distance) > 5 ? $0 : null"),
      ("scan", "(0)", "$0 + \(other)"), ("filter", "", "\(distance) > 5"),
      ("reduce", "(0)", "$0 + \(other)"), ("removeDuplicates", "", "\(distance) == \(other)"),
      ("first", "", "\(distance) < 5"), ("last", "", "\(distance) > 5"),
      ("prefix", "", "\(distance) > 5"), ("drop", "", "\(distance) > 5"),
      ("contains", "", "\(distance) == 20"), ("allSatisfy", "", "\(distance) > 5"),
      ("min", "", "\(distance) < \(other)"), ("max", "", "\(distance) < \(other)"),
    ])
    let isTrying = dice.chance(30)
    let called = isTrying ? "try\(name.prefix(1).uppercased())\(name.dropFirst())" : name
    return ".\(called)\(argument) { \(closure) }"
  }

  /// Operators behind a subject.
  private mutating func lasting() -> String {
    (0..<dice.pick(1...3)).map { _ in
      let number = dice.pick(1...9)
      return dice.pick([
        ".map { $0 }", ".filter { $0 % \(number) == 0 }",
        ".buffer(size: \(number * 3), prefetch: .byRequest, whenFull: .dropOldest)",
        ".buffer(size: \(number), prefetch: .keepFull, whenFull: .dropNewest)", ".share()",
        ".debounce(for: .milliseconds(\(number * 50)))",
        ".throttle(for: .milliseconds(\(number * 50)), latest: true)",
        ".delay(for: .milliseconds(\(number * 30)))", ".collect(\(number))", ".scan(0) { $0 + $1 }",
        ".flatMap(maxPublishers: .max(\(number))) { Just($0).delay(for: .milliseconds(50)) }",
        ".map { n in [n, n].publisher }.switchToLatest()",
        ".combineLatest(\(dice.pick(subjects)))", ".zip(\(dice.pick(subjects)))",
        ".merge(with: \(dice.pick(subjects)))", ".prefix(\(number))", ".removeDuplicates()",
        ".collect(.byTime(DispatchQueue.main, .milliseconds(\(number * 100))))",
        ".collect(.byTimeOrCount(DispatchQueue.main, .milliseconds(\(number * 100)), \(number * 3)))",
        ".sample(when: \(dice.pick(subjects)))", ".pairwise()",
        ".exhaustMap { Just($0).delay(for: .milliseconds(50)) }",
        ".timeout(.seconds(\(number * 3)))", ".measureInterval(using: DispatchQueue.main)",
        ".share(replay: \(number))",
        ".withLatest(from: \(dice.pick(subjects))) { a, b in a + b }",
        ".flatMap(maxPublishers: .max(2)) { ask(\(dice.pick(services)), $0) }",
        ".prefix(untilOutputFrom: \(dice.pick(subjects)))",
        ".drop(untilOutputFrom: \(dice.pick(subjects)))",
      ])
    }.joined()
  }
}
