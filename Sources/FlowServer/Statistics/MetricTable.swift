internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// All metrics: what STATS, `$stats`, `/metrics` and the reference page are made of.
enum MetricTable {
  /// Those of the server and of NATS, then those of each subject, pipeline, run, stage and service, of the page and
  /// of the process.
  static let all =
    server + nats + subjects + pipelines + verdicts + runs + stages + services + web + process

  private static let server = [
    Metric(
      "flow_build_info",
      .gauge,
      "always 1; the version is a label",
      .server { _ in [.init(1, ("version", flowVersion))] }
    ),
    Metric(
      "flow_uptime_seconds",
      .gauge,
      "seconds since the server started",
      .server { [.init(seconds: $0.now - $0.started)] }
    ),
    Metric(
      "flow_turns_total",
      .counter,
      "turns of the event loop",
      .server { [.init($0.counters.turns)] }
    ),
    Metric(
      "flow_loop_busy_seconds_total",
      .counter,
      "seconds that the event loop was at work while somebody watches",
      .server { [.init(seconds: $0.watch.load.busy)] }
    ),
    Metric(
      "flow_connections",
      .gauge,
      "open connections",
      .server { [.init($0.clients.count)] }
    ),
    Metric(
      "flow_connections_total",
      .counter,
      "connections accepted",
      .server { [.init($0.counters.connections)] }
    ),
    Metric(
      "flow_streams",
      .gauge,
      "open streams",
      .server { engine in
        [
          .init(engine.streams.count, ("kind", "subscription")),
          .init(
            engine.clients.all.reduce(0) { $0 + Int($1.open.publicationCount) },
            ("kind", "publication")
          ),
          .init(
            engine.clients.all.reduce(0) { $0 + Int($1.open.serviceCount) },
            ("kind", "service")
          ),
        ]
      }
    ),
    Metric(
      "flow_streams_total",
      .counter,
      "streams opened",
      .server { [.init($0.counters.streams)] }
    ),
    Metric(
      "flow_calls",
      .gauge,
      "calls waiting for a worker, and calls in progress",
      .server { engine in
        let services = engine.services.sorted
        return [
          .init(services.reduce(0) { $0 + $1.waitingCount }, ("state", "waiting")),
          .init(services.reduce(0) { $0 + $1.running }, ("state", "running")),
        ]
      }
    ),
    Metric(
      "flow_calls_total",
      .counter,
      "calls finished by workers, with DONE or FAIL",
      .server { [.init($0.counters.calls)] }
    ),
    Metric(
      "flow_names",
      .gauge,
      "definitions by kind",
      .server { engine in
        let kinds = engine.registry.names.compactMap { engine.registry[$0]?.kind }
        return ["subject", "pipeline", "run"].map { kind in
          .init(kinds.count { $0 == kind }, ("kind", kind))
        }
      }
    ),
    Metric(
      "flow_frames_total",
      .counter,
      "commands and values from clients, by their first word",
      .server { $0.counters.frames.map { .init($0.count, ("verb", $0.verb)) } }
    ),
    Metric(
      "flow_errors_total",
      .counter,
      "ERR, FAIL and BYE lines by code; codes chosen by clients count as other",
      .server {
        $0.counters.errorLines.map { .init($1, ("line", $0.line), ("code", $0.code)) }
      }
    ),
    Metric(
      "flow_values_total",
      .counter,
      "values received by subjects, and sent on streams",
      .server { engine in
        [
          .init(engine.publishedValues, ("direction", "in")),
          .init(engine.deliveredValues, ("direction", "out")),
        ]
      }
    ),
    Metric(
      "flow_missed_values_total",
      .counter,
      "values missed by streams and runs",
      .server { engine in
        let missed = engine.missedValues
        return DropReason.allCases.map { .init(missed[$0] ?? 0, ("reason", $0.rawValue)) }
      }
    ),
    Metric(
      "flow_bytes_total",
      .counter,
      "bytes read from clients and written to them",
      .server { engine in
        [
          .init(engine.loop.bytesRead, ("direction", "in")),
          .init(engine.loop.bytesWritten, ("direction", "out")),
        ]
      }
    ),
    Metric(
      "flow_print_lines_total",
      .counter,
      "lines written to the log by print stages, and lines left out",
      .server { engine in
        [
          .init(engine.prints.written, ("outcome", "written")),
          .init(engine.prints.leftOut, ("outcome", "left-out")),
        ]
      }
    ),
    Metric(
      "flow_memory_bytes",
      .gauge,
      "memory used by the process, and its limit",
      .server {
        [
          .init($0.ledger.taken, ("state", "taken")), .init($0.ledger.limit, ("state", "limit")),
        ]
      }
    ),
    Metric(
      "flow_held_bytes",
      .gauge,
      "bytes held for connections, pipelines, subjects and definitions",
      .server { engine in
        engine.ledger.held.map { .init($0.bytes, ("by", $0.by)) }
      }
    ),
    Metric(
      "flow_relieved_total",
      .counter,
      "how often the largest holder was ended because the server was short of memory",
      .server { [.init($0.ledger.endings)] }
    ),
  ]
}

extension Engine {
  /// All streams that are open.
  var streams: [ClientSubscription] { clients.all.flatMap { $0.open.subscriptions } }

  /// The streams that run `pipeline` by its name.
  func streams(of pipeline: Pipeline) -> [ClientSubscription] {
    streams.filter { $0.running?.pipeline === pipeline }
  }

  /// The streams that run a pipeline by its name, by the pipelines.
  var streamsByPipeline: [ObjectIdentifier: [ClientSubscription]] {
    streams.reduce(into: [:]) { found, stream in
      if let pipeline = stream.running?.pipeline {
        found[ObjectIdentifier(pipeline), default: []].append(stream)
      }
    }
  }

  /// Values ever sent to subjects.
  var publishedValues: Int {
    registry.subjects.reduce(counters.published) { $0 + $1.published }
  }

  /// Values ever sent to clients.
  var deliveredValues: Int {
    streams.reduce(counters.delivered) { $0 + $1.values }
  }

  /// Values ever missed.
  fileprivate var missedValues: [DropReason: Int] {
    let untold = streams.compactMap(\.misses?.untold) + registry.runs.map(\.misses)
    return untold.reduce(into: counters.missed) { $0.merge($1, uniquingKeysWith: +) }
  }
}
