internal import FlowTransport

extension MetricTable {
  /// Those of the process, by the names that all programs give them; the server itself counts nothing for
  /// them.
  static let process = [
    Metric(
      "process_cpu_seconds_total",
      .counter,
      "processor time of the process, in seconds",
      .server { [.init(seconds: Int64(clamping: $0.loop.platform.processNanoseconds))] }
    ),
    Metric(
      "process_resident_memory_bytes",
      .gauge,
      "memory of the process",
      .server { [.init($0.loop.platform.residentMemory)] }
    ),
    Metric(
      "process_open_fds",
      .gauge,
      "open descriptors",
      .server { [.init($0.loop.platform.descriptors.open)] }
    ),
    Metric(
      "process_max_fds",
      .gauge,
      "descriptors that there may be",
      .server { [.init($0.loop.platform.descriptors.most)] }
    ),
    Metric(
      "process_start_time_seconds",
      .gauge,
      "when the server started, in seconds since 1970",
      .server { [.init(seconds: Int64($0.startedAt) * 1_000_000)] }
    ),
  ]
}
