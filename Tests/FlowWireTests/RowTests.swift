import FlowWire
import Testing

@Suite("Row")
struct RowTests {
  @Test(
    "a row of each kind is read as it is written",
    arguments: [
      Row(.subject, "a/b", text: #"current "x flow=y""#, fields: ["flow": "slowest", "room": 0]),
      Row(.subject, "a", text: "passthrough", fields: ["flow": "free", "on": "nats", "room": 8]),
      Row(.pipeline, "p", text: #"a.map { " = x y=1" }"#),
      Row(.run, "r", text: #"a.map { " state=x" }.assign(to: b)"#, fields: ["state": "running"]),
      Row(.run, "r", text: "…"), Row(.service, "s"),
      Row(.service, "s", fields: ["workers": 1, "demand": Demand.unlimited]),
      Row(.client, "7", fields: ["peer": "[::1]:5", "name": #""x"#, "streams": 0, "you": true]),
      Row(.worker, fields: ["client": 1, "id": 2, "name": "s"]),
      Row(.call, fields: ["client": 1, "id": "2.1"]), Row(.stream, fields: ["client": 1]),
      Row(.tap, fields: ["client": 1]), Row(.feed, fields: ["client": 1]),
      Row(.publication, fields: ["client": 1, "ended": true]),
      Row(.definition, text: "SUBJECT a flow=free"), Row(.completed, text: "failed late é x=1"),
      Row(.figures, fields: ["state": "failed", "values": 1]),
      Row(.failure, "late", text: "it is 5"), Row(.failure, "late"),
      Row(.failure, "late", text: "\u{301}x=1", fields: ["ago": "12ms"]),
      Row(.leftOut, text: "map { $0 }: x=1", fields: ["ago": "12ms"]),
      Row(.stage, "1", text: #"map { " in=1 asks="2" " }"#, fields: ["in": 3, "demand": "max"]),
      Row(.stage, "2", text: "assign(to: b)"),
      Row(.stage, "0", text: #"map { " asks=\"x\"" }"#, fields: .quoted(["asks": "-"])),
      Row(
        .inner,
        "1.0",
        text: "Just($0)",
        fields: ["of": "slow"] + .quoted(["asks": "the same", "ends": "-"])
      ),
      Row(.total, fields: .quoted(["holds": "2"]) + ["resume": "exact"] + .quoted(["why": "no x"])),
      Row(.subscription, fields: ["run": "…", "demand": 1]),
      Row(.reader, fields: ["subscriptions": true, "server": "x:1", "behind": 2]),
      Row(.readers, fields: ["unknown": true]), Row(.topology, text: #"{"a": "b=1"}"#),
      Row(.sample, text: "\u{301}\"}"),
    ]
  )
  func bothWays(_ row: Row) {
    #expect(Row(row.description) == row)
  }

  @Test(
    "a row of STATS is read as it is written",
    arguments: [
      MetricRow("flow_bytes", [], value: "7"), MetricRow("a_sum", [("op", "map")], value: "0.5"),
      MetricRow("a_bucket", [("subject", "x,y={\"1\\\\"), ("le", "+Inf")], value: "+Inf"),
    ]
  )
  func metrics(_ row: MetricRow) throws {
    let read = try #require(MetricRow(row.description))
    #expect(read.name == row.name && read.value == row.value)
    #expect(read.labels.map(\.name) == row.labels.map(\.name))
    #expect(read.labels.map(\.value) == row.labels.map(\.value))
  }

  @Test("a row of a newer server is fields")
  func newer() {
    let row = Row("probe a=1 b= c")
    #expect(row.kind.word == "probe" && row.name.isEmpty && row.text.isEmpty)
    #expect(row.fields["a"] == "1" && row.fields["b"] == "" && row.fields["c"] == nil)
    #expect(row.fields.count("a") == 1 && row.fields.all.map(\.key) == ["a", "b", "c"])
    #expect(row.description == "probe a=1 b= c")
  }

  @Test("every row in the transcripts of protocol.md is written as it stands there")
  func transcripts() throws {
    let rows = try ProtocolPage.lines.compactMap { line -> String? in
      // HELP has drawings, too.
      guard line.dropFirst().hasPrefix("< * "), !line.contains("  ") else { return nil }
      return String(line.dropFirst(5))
    }
    #expect(rows.count > 50)
    for row in rows { #expect(Row(row).description == row) }
  }
}
