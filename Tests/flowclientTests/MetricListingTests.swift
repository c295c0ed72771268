import Testing

@testable import flowclient

@Suite("stats: its forms")
struct MetricListingTests {
  private let listing = MetricListing(
    [
      #"flow_subject_values_total{subject="a",outcome="published"} 3"#,
      #"flow_subject_subscriptions{subject="a",room="yes"} 1"#,
      #"flow_subject_held_bytes{subject="a"} 40"#,
      #"flow_subject_delivery_seconds_bucket{subject="a",le="0.1"} 2"#,
      #"flow_subject_delivery_seconds_sum{subject="a"} 0.5"#,
      #"flow_subject_delivery_seconds_count{subject="a"} 2"#,
      #"flow_subject_values_total{subject="b",outcome="published"} 4"#, "no-value",
    ],
    help: [
      "flow_subject_values_total counter values sent", "flow_subject_held_bytes gauge bytes kept",
      "flow_subject_delivery_seconds histogram how long values took",
    ]
  )

  @Test("the table says once what a metric is, with units and without buckets")
  func table() {
    let lines = listing.table(width: 200).map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(
      lines == [
        "figure of value what it is", "subject values total a published 3 values sent",
        "subject subscriptions a room yes 1", "subject held a 40 B bytes kept",
        "subject delivery sum a 0.5 s how long values took", "subject delivery count a 2",
        "subject values total b published 4",
      ]
    )
  }

  @Test("the table leaves out what metrics are if there is no room, and fits")
  func narrow() {
    let lines = listing.table(width: 60)
    #expect(!lines.contains { $0.contains("what it is") || $0.contains("values sent") })
    for line in lines { #expect(DisplayText.width(line) <= 60) }
  }

  @Test("for Prometheus the numbers of a metric stand together, below their kind")
  func prometheus() {
    let lines = listing.prometheus
    #expect(
      Array(lines.prefix(4)) == [
        "# HELP flow_subject_values_total values sent", "# TYPE flow_subject_values_total counter",
        #"flow_subject_values_total{subject="a",outcome="published"} 3"#,
        #"flow_subject_values_total{subject="b",outcome="published"} 4"#,
      ]
    )
    #expect(
      lines.suffix(5) == [
        "# HELP flow_subject_delivery_seconds how long values took",
        "# TYPE flow_subject_delivery_seconds histogram",
        #"flow_subject_delivery_seconds_bucket{subject="a",le="0.1"} 2"#,
        #"flow_subject_delivery_seconds_sum{subject="a"} 0.5"#,
        #"flow_subject_delivery_seconds_count{subject="a"} 2"#,
      ]
    )
  }
}
