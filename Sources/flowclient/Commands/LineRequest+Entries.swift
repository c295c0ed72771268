import FlowWire

/// The commands of the protocol that have help of their own; others are sent as they are, too.
extension LineRequest {
  static let list = VerbEntry(
    LineRequest(),
    name: "list",
    group: .look,
    operands: "[KIND] [PATTERN]",
    summary: "list subjects, pipelines, runs, services, streams or clients",
    words: ListKind.allCases.map(\.rawValue),
    examples: [
      "flowclient list", "flowclient list subjects", "flowclient list 'sensors/**'",
    ]
  )

  static let show = VerbEntry(
    LineRequest(),
    name: "show",
    group: .look,
    operands: "NAME",
    summary: "show definition, settings and current figures of a name",
    operand: .name,
    examples: ["flowclient show orders"]
  )

  static let subject = VerbEntry(
    LineRequest(),
    name: "subject",
    group: .define,
    operands: "NAME [SETTING…]",
    summary: "create a subject",
    examples: ["flowclient subject orders flow=slowest"]
  )

  static let pipeline = VerbEntry(
    LineRequest(),
    name: "pipeline",
    group: .define,
    operands: "NAME = EXPR",
    summary: "define a pipeline",
    examples: ["flowclient pipeline 'even = orders.filter { $0 % 2 == 0 }'"]
  )

  static let run = VerbEntry(
    LineRequest(),
    name: "run",
    group: .define,
    operands: "NAME [SETTING] = EXPR",
    summary: "run a pipeline into a subject, without a client",
    examples: [
      "flowclient run 'totals = orders.scan(0) { $0 + $1 }.assign(to: revenue)'",
      "flowclient run 'work restart=1s = taps.map { sqrt($0) }.assign(to: roots)'",
    ]
  )

  static let delete = VerbEntry(
    LineRequest(),
    name: "delete",
    group: .define,
    operands: "NAME",
    summary: "delete a subject or a pipeline, or stop a run",
    operand: .name,
    examples: ["flowclient delete even"]
  )

  static let kill = VerbEntry(
    LineRequest(),
    name: "kill",
    group: .define,
    operands: "WHAT …",
    summary: "end a client, one of its streams, or everything open on a name",
    examples: [
      "flowclient kill client 7", "flowclient kill stream 7 1", "flowclient kill name orders",
    ]
  )

  static let ping = VerbEntry(
    LineRequest(),
    name: "ping",
    group: .server,
    operands: "[TEXT]",
    summary: "test whether the server answers",
    examples: ["flowclient ping"]
  )
}
