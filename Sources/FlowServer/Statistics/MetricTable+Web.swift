extension MetricTable {
  /// Those of the live page.
  static let web = [
    Metric(
      "flow_http_requests_total",
      .counter,
      "requests for the page and its figures, by path and status; unknown paths count as other",
      .server { engine in
        engine.web.requests.sorted { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }
          .map { .init($1, ("path", $0.path), ("status", "\($0.status)")) }
      }
    ),
    Metric(
      "flow_page_streams",
      .gauge,
      "pages that are told of events",
      .server { [.init($0.web.streamCount)] }
    ),
  ]
}
