internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Figures {
  /// Figures of the whole server, for administrators.
  static let server: FigureTable<Engine> = [
    .gauge("flow_build_info", "always 1; the version is a label", ("version", flowVersion)) { _ in
      .count(1)
    },
    .gauge("flow_uptime_seconds", "seconds since the server started") {
      .time($0.now - $0.started)
    },
    .counter("flow_turns_total", "turns of the event loop") { .count($0.counters.turns) },
    .counter(
      "flow_loop_busy_seconds_total",
      "seconds that the event loop was at work while somebody watches"
    ) { .time($0.watch.load.busy) },
    .gauge("flow_connections", "open connections", member: "connections") {
      .count($0.clients.count)
    },
    .counter("flow_connections_total", "connections accepted") {
      .count($0.counters.connections)
    },
    Figure(streams, ("kind", "subscription"), member: "streams") { .count($0.streams.count) },
    Figure(streams, ("kind", "publication")) { engine in
      .count(engine.clients.all.reduce(0) { $0 + Int($1.open.publicationCount) })
    },
    Figure(streams, ("kind", "service")) { engine in
      .count(engine.clients.all.reduce(0) { $0 + Int($1.open.serviceCount) })
    },
    Figure(member: "busy") { .number($0.watch.load.share) },
    .counter("flow_streams_total", "streams opened") { .count($0.counters.streams) },
    Figure(calls, ("state", "waiting")) { engine in
      .count(engine.services.sorted.reduce(0) { $0 + $1.waitingCount })
    },
    Figure(calls, ("state", "running")) { engine in
      .count(engine.services.sorted.reduce(0) { $0 + $1.running })
    },
    .counter("flow_calls_total", "calls finished by workers, with DONE or FAIL") {
      .count($0.counters.calls)
    },
    Figure(each: .gauge("flow_names", "definitions by kind")) { engine in
      let kinds = engine.registry.names.compactMap { engine.registry[$0]?.kind }
      return ["subject", "pipeline", "run"].map { kind in
        Sample(kinds.count { $0 == kind }, ("kind", kind))
      }
    },
    Figure(
      each: .counter(
        "flow_frames_total",
        "commands and values from clients, by their first word"
      )
    ) { engine in engine.counters.frames.map { Sample($0.count, ("verb", $0.verb)) } },
    Figure(
      each: .counter(
        "flow_errors_total",
        "ERR, FAIL and BYE lines by code; codes chosen by clients count as other"
      )
    ) { engine in
      engine.counters.errorLines.map { Sample($1, ("line", $0.line), ("code", $0.code)) }
    },
    Figure(values, ("direction", "in"), member: "in") { .count($0.publishedValues) },
    Figure(values, ("direction", "out"), member: "out") { .count($0.deliveredValues) },
    Figure(
      each: .counter("flow_missed_values_total", "values missed by streams and runs")
    ) { $0.missedValues.samples },
    Figure(bytes, ("direction", "in")) { .count($0.loop.bytesRead) },
    Figure(bytes, ("direction", "out")) { .count($0.loop.bytesWritten) },
    Figure(prints, ("outcome", "written")) { .count($0.prints.written) },
    Figure(prints, ("outcome", "left-out")) { .count($0.prints.leftOut) },
    Figure(memory, ("state", "taken")) { .count($0.ledger.taken) },
    Figure(memory, ("state", "limit")) { .count($0.ledger.limit) },
    Figure(
      each: .gauge(
        "flow_held_bytes",
        "bytes held for connections, pipelines, subjects and definitions"
      )
    ) { engine in engine.ledger.held.map { Sample($0.bytes, ("by", $0.by)) } },
    .counter(
      "flow_relieved_total",
      "how often the largest holder was ended because the server was short of memory"
    ) { .count($0.ledger.endings) },
  ]

  private static let streams = Metric.gauge("flow_streams", "open streams")
  private static let calls = Metric.gauge(
    "flow_calls",
    "calls waiting for a worker, and calls in progress"
  )
  private static let values = Metric.counter(
    "flow_values_total",
    "values received by subjects, and sent on streams"
  )
  private static let bytes = Metric.counter(
    "flow_bytes_total",
    "bytes read from clients and written to them"
  )
  private static let prints = Metric.counter(
    "flow_print_lines_total",
    "lines written to the log by print stages, and lines left out"
  )
  private static let memory = Metric.gauge(
    "flow_memory_bytes",
    "memory used by the process, and its limit"
  )
}

extension [DropReason: Int] {
  var samples: [Sample] {
    DropReason.allCases.map { Sample(self[$0] ?? 0, ("reason", $0.rawValue)) }
  }
}

extension Engine {
  var streams: [ClientSubscription] { clients.all.flatMap { $0.open.subscriptions } }

  /// The streams that run `pipeline` by its name.
  func streams(of pipeline: Pipeline) -> [ClientSubscription] {
    streams.filter { $0.running?.pipeline === pipeline }
  }

  /// The streams that run a named pipeline, grouped by pipeline.
  var streamsByPipeline: [ObjectIdentifier: [ClientSubscription]] {
    streams.reduce(into: [:]) { found, stream in
      if let pipeline = stream.running?.pipeline {
        found[ObjectIdentifier(pipeline), default: []].append(stream)
      }
    }
  }

  /// Values sent to subjects since the start.
  var publishedValues: Int {
    registry.subjects.reduce(counters.published) { $0 + $1.published }
  }

  /// Values sent to clients since the start.
  var deliveredValues: Int {
    streams.reduce(counters.delivered) { $0 + $1.values }
  }

  /// Values missed since the start.
  fileprivate var missedValues: [DropReason: Int] {
    let untold = streams.compactMap(\.misses?.untold) + registry.runs.map(\.misses)
    return untold.reduce(into: counters.missed) { $0.merge($1, uniquingKeysWith: +) }
  }
}
