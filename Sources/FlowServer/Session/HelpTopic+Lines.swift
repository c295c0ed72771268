internal import FlowWire

// Topics of HELP besides commands and operators.
extension HelpTopic {
  /// Finds a topic; ignores case and a plural's "s".
  static func named(_ word: String) -> HelpTopic? {
    let word = word.lowercased().filter { $0 != "$" }
    return allCases.first { topic in
      let name = topic.rawValue
      return name == word || name == word + "s" || name + "s" == word
    }
  }

  /// The lines of the topic; for each of `metrics` its name, kind and help text.
  func lines(_ metrics: [Metric]) -> [String] {
    switch self {
    case .backpressure: Self.backpressureLines
    case .demand: Self.demandLines
    case .subjects: Self.subjectsLines
    case .pipelines: Self.pipelinesLines
    case .subscriptions: Self.subscriptionsLines
    case .publications: Self.publicationsLines
    case .calls: Self.callsLines
    case .values: Self.valuesLines
    case .closures: Self.closuresLines
    case .errors: Self.errorsLines
    case .limits: Self.limitsLines
    case .names: Self.namesLines
    case .netcat: Self.netcatLines
    case .events: Self.eventsLines
    case .metrics: metrics.map { "\($0.name) \($0.kind.rawValue) \($0.help)" }
    }
  }
}

extension HelpTopic {
  private static let backpressureLines = [
    "what demand is:",
    "  a subscriber says how many values it is ready for: SUB numbers 3, then REQ 1 5, or max",
    "  each stage asks the one before it for what it needs to meet that, back to the source",
    "  nothing is sent that was not asked for, also across the network; HELP demand has more",
    "what waits:",
    "  a subject with flow=slowest: each value waits until every subscription has asked for it",
    "  so do its publishers: PUB and REQ ID N say how many values may be sent; flowclient send waits",
    "  a stage that is full asks for nothing more: buffer(prefetch: .keepFull), flatMap",
    "  a value of Just, a sequence or a range is made only when it is asked for",
    "what drops:",
    "  a subject with flow=free: a subscription that has not asked misses the value",
    "  buffer(prefetch: .byRequest), when it is full: whenFull says which value goes",
    "  debounce and throttle, if no value is asked for when one is due",
    "  each miss is counted and told: DROP ID COUNT REASON; reasons are in HELP subscriptions",
    "what stays small:",
    "  EXPLAIN EXPR shows what each stage asks for, how many values it may hold, and what then",
    "who holds it up:",
    "  flowclient top shows every name that is held up, and by whom: a client, a stage, another name",
    "  flowclient top NAME shows how long each stage waited for values, worked, or was not asked",
    "  SHOW NAME has the demand of each subscription; WATCH NAME is the same for programs, as JSON",
    "what to do then:",
    "  a slow client: read faster, ask for more at once, or put buffer(…) or throttle(…) before it",
    "  a slow stage: flatMap(maxPublishers: .max(8)), or more workers of the service that it asks",
    "  one slow reader among many: flow=free, or a buffer that drops in front of that reader",
  ]
  private static let demandLines = [
    "demand is the number of values a subscriber is ready for; nothing is sent without it",
    "SUB numbers 3 asks for three, REQ 1 5 for five more, REQ 1 max for all that follow",
    "each stage requests from its upstream what it needs to meet the demand; see EXPLAIN EXPR",
    "a value without demand is missed and reported by DROP ID COUNT no-demand,",
    "or waits with its publisher if the subject is flow=slowest",
    "SHOW NAME shows who has how much demand, and who holds up the others",
    "WATCH NAME tells, as JSON, which stage or whose subscription holds NAME up",
  ]
  private static let subjectsLines = [
    "a subject is a named channel: all of its subscribers get the values sent to it",
    "SUBJECT a passthrough keeps nothing; current VALUE keeps the newest; replay N the last N",
    "flow=free: a subscriber without demand misses the value; flow=slowest: publishers wait for all",
    "OK sub … flow=free: this token lacks the right hold, so publishers do not wait for it",
    "SEND a VALUE sends one, PUB a opens a stream to send many; SUB a 10 receives",
    "DONE a completes it, FAIL a CODE fails it, DELETE a removes it",
  ]
  private static let pipelinesLines = [
    "a pipeline is a source followed by operators, as in Swift with Combine",
    "PIPELINE even = numbers.filter { $0 % 2 == 0 } defines one; SUB and EXPLAIN also take an EXPR",
    "each subscription runs its own stages; a share() and the stages before it are common to all",
    "sources: a subject, a pipeline, Just(1), [1, 2].publisher, Timer.publish(every: 1).autoconnect()",
    "the three largest values so far: orders.scan([]) { ($0 + [$1]).sorted(by: >).prefix(3) }",
    "how many of each kind so far: orders.group(by: \\.kind) { $0.scan(0) { n, _ in n + 1 } }",
    "HELP filter explains an operator; EXPLAIN EXPR shows what each stage asks for and may hold",
  ]
  private static let subscriptionsLines = [
    "SUB EXPR N opens a stream with an id; its values arrive as = ID VALUE, its end as DONE or FAIL",
    "REQ ID N asks for more, CANCEL ID ends it; TAKE EXPR N asks for N and ends after them",
    "TAP NAME N looks on: it gets what passes and counts for nobody as a subscription",
    "DROP ID COUNT REASON reports what was missed: no-demand, buffer-oldest, buffer-newest, replaced,",
    "  busy, unmatched, gap or failed, of which SHOW says more",
    "a slow reader gets no more than its window holds, and is never cut off",
  ]
  private static let publicationsLines = [
    "PUB NAME opens a stream to a subject; its answer and each REQ ID N say how many may be sent",
    "= ID VALUE sends one; DONE ID ends the stream, and with owner=yes the subject",
    "beyond the grant: over=hold keeps values and then stops reading, cancel ends, drop drops",
  ]
  private static let callsLines = [
    "a pipeline asks another process with ask(NAME, VALUE), as in urls.flatMap { ask(fetch, $0) }",
    "SERVE fetch 1 makes this connection a worker that accepts one call; it arrives as = 5.1 VALUE",
    "REQ 5.1 N requests N values; answer with = 5.1 TEXT, then DONE 5.1 or FAIL 5.1 CODE",
    "REQ 5 1 accepts one more call; CANCEL 5.1 from the server cancels the call",
    "flatMap(maxPublishers: .max(3)) { … } has at most 3 calls open; calls wait for workers in order",
    "if a worker leaves, its calls fail with worker-lost; retry(3) repeats them elsewhere",
    "LIST services shows each service, its workers and its calls",
  ]
  private static let valuesLines = [
    "a value is any bytes up to 1 MiB; pipelines read it as JSON, or as a string if it is not JSON",
    "= ID TEXT carries one on a line; : ID LEN and then LEN bytes carry one with line ends in it",
    "a value that no stage looks into is passed on byte for byte",
  ]
  private static let closuresLines = [
    "{ $0.price * 2 }, { order in order.price * 2 }, { sum, next in sum + next }, or \\.price",
    "let NAME = … in front; if … { } else { }, ? :, ??, && || !, comparison, arithmetic, \"\\(…)\"",
    "a missing member is null; fail(\"text\") fails the stream; there are no loops and no variables",
    "the closures of flatMap and catch end in a publisher: { Just($0).delay(for: 3) }",
  ]
  private static let errorsLines = [
    "ERR CODE TEXT concerns one command, FAIL ID CODE TEXT one stream; everything else continues",
    "BYE CODE TEXT ends the connection",
    "ERR syntax COLUMN: TEXT gives the column in the line; codes are stable, texts are for people",
    "a hundred ERR in a row end the connection",
  ]
  private static let namesLines = [
    "a name is a letter or \"_\", then letters, digits, \"_\" and \"-\", at most 128 in all",
    "it may have levels with \"/\" between them: sensors/kitchen/temp",
    "a pattern stands for several: in a level * is any characters, ** is any levels;",
    "  SUB sensors/** joins all subjects that fit, also those made later; $name is a value's subject",
    "LIST, STATS and token files take patterns, too; SUB $new/** gives names as they are made",
    "subjects and pipelines share one name space; names with $ in front belong to the server",
    "streams have numbers: as=ID chooses one, otherwise it is the highest so far plus one",
  ]
  private static let netcatLines = [
    "printf 'TAKE numbers 2\\nQUIT\\n' | nc HOST 3569 prints two values and ends",
    "end of input means no more commands; requested values are still delivered",
    "lines that begin with # are for people; HELLO 1 turns them off",
  ]

  private static let eventsLines = [
    "SUB $events max reports what happens in the server: connected, closed, defined, deleted,",
    "completed, opened, ended, missing, stopped; as in {\"event\":\"closed\",\"client\":3,…}",
    "SUB $events.filter { $0.event == \"ended\" } 10 reports ten streams that end",
    "SUB $stats max publishes once a second the metrics of STATS that have changed",
    "both are subjects that only the server sends to; SHOW $events shows who listens",
  ]
  private static let limitsLines = [
    "a line has at most 64 KiB, a value 1 MiB, a name 128 bytes, an expression 16 KiB",
    "a connection has at most 1,024 streams; a stream's window is 256 KiB, up to 4 MiB",
    "a grant is at most 64 values, or grant=N up to 65,536",
    "each limit has its error: ERR limit, line-too-long, value-too-long",
  ]
}
