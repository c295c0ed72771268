import FlowWire

/// The commands of the protocol that have help of their own; others are sent as they are, too.
extension LineRequest {
  static let list = VerbEntry(
    LineRequest(),
    usage: "list [KIND] [NAME|PATTERN]",
    group: .look,
    summary: "list subjects, pipelines, runs, services, streams or clients",
    words: ListKind.allCases.map(\.rawValue),
    examples: [
      "flowclient list", "flowclient list subjects", "flowclient list orders",
      "flowclient list 'sensors/**'",
    ]
  )

  static let show = VerbEntry(
    LineRequest(),
    usage: "show NAME",
    group: .look,
    summary: "show definition, settings and current figures of a name",
    operand: .name,
    examples: ["flowclient show orders"]
  )

  static let subject = VerbEntry(
    LineRequest(),
    usage: "subject NAME [SETTING…]",
    group: .define,
    summary: "create a subject",
    examples: ["flowclient subject orders flow=slowest"]
  )

  static let pipeline = VerbEntry(
    LineRequest(),
    usage: "pipeline NAME = EXPR",
    group: .define,
    summary: "define a pipeline",
    examples: ["flowclient pipeline 'even = orders.filter { $0 % 2 == 0 }'"]
  )

  static let run = VerbEntry(
    LineRequest(),
    usage: "run NAME [SETTING] = EXPR",
    group: .define,
    summary: "run a pipeline into a subject, without a client",
    examples: [
      "flowclient run 'totals = orders.scan(0) { $0 + $1 }.assign(to: revenue)'",
      "flowclient run 'work restart=1s = taps.map { sqrt($0) }.assign(to: roots)'",
    ]
  )

  static let delete = VerbEntry(
    LineRequest(),
    usage: "delete NAME",
    group: .define,
    summary: "delete a subject or a pipeline, or stop a run",
    operand: .name,
    examples: ["flowclient delete even"]
  )

  static let kill = VerbEntry(
    LineRequest(),
    usage: "kill client N | kill stream N ID | kill name NAME",
    group: .define,
    summary: "end a client, one of its streams, or everything open on a name",
    examples: [
      "flowclient kill client 7", "flowclient kill stream 7 1", "flowclient kill name orders",
    ]
  )

  static let ping = VerbEntry(
    LineRequest(),
    usage: "ping [TEXT]",
    group: .server,
    summary: "test whether the server answers",
    examples: ["flowclient ping"]
  )
}
