internal import FlowTransport

extension Figures {
  /// The live page's figures, then the process's with the usual Prometheus names.
  static let process: FigureTable<Engine> = [
    Figure(
      each: .counter(
        "flow_http_requests_total",
        "requests for the page and its figures, by path and status; unknown paths count as other"
      )
    ) { engine in
      engine.web.requests.sorted { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }
        .map { Sample($1, ("path", $0.path), ("status", "\($0.status)")) }
    },
    .gauge("flow_page_streams", "pages that are told of events") {
      .count($0.web.streamCount)
    },
    .counter("process_cpu_seconds_total", "processor time of the process, in seconds") {
      .time(Int64(clamping: $0.loop.platform.processNanoseconds))
    },
    .gauge("process_resident_memory_bytes", "memory of the process") {
      .count($0.loop.platform.residentMemory)
    },
    .gauge("process_open_fds", "open descriptors") {
      .count($0.loop.platform.descriptors.open)
    },
    .gauge("process_max_fds", "descriptors that there may be") {
      .count($0.loop.platform.descriptors.most)
    },
    .gauge("process_start_time_seconds", "when the server started, in seconds since 1970") {
      .time(Int64($0.startedAt) * 1_000_000)
    },
  ]
}
