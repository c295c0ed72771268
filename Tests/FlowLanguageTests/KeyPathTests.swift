import Testing

@testable import FlowLanguage

@Suite("Key paths")
struct KeyPathTests {
  @Test(
    "lead where the closure does",
    arguments: [
      ("\\.a", "$0.a"), ("\\.a.b", "$0.a.b"), ("\\.a?.b", "$0?.a?.b"), ("\\.a?.b", "$0.a.b"),
      ("\\.a!.b", "$0.a.b"), ("\\.rows[0]", "$0.rows[0]"), ("\\.rows.0.id", "$0.rows[0].id"),
      ("\\.[\"a b\"]", "$0[\"a b\"]"), ("\\.a[\"b\"]", "$0.a.b"), ("\\.self", "$0"),
      ("\\Order.a.b", "$0.a.b"), ("\\.0", "$0.0"),
    ]
  )
  func objects(path: String, closure: String) throws {
    for payload in [
      "{\"a\":{\"b\":7},\"a b\":8,\"rows\":[{\"id\":9}]}", "[[3]]", "{\"a\":null}",
    ] {
      let host = TestHost(subjects: "taps")
      let expected = try host.run("taps.map { \(closure) }")
      let recorder = try host.run("taps.map(\(path))")
      host.send(payload, to: "taps")
      #expect(recorder.values == expected.values, "\(payload)")
    }
  }

  @Test(
    "stand where closures do",
    arguments: [
      ("zip(orders).map(\\.1)", "20 40"), ("zip(orders).map(\\.0, \\.1)", "[10,20] [30,40]"),
      ("zip(orders).max(by: \\.0).map(\\.[1])", "40"),
      ("zip(orders).map { $0.map(\\.self) }", "[10,20] [30,40]"),
    ]
  )
  func places(text: String, expected: String) throws {
    let host = TestHost(subjects: "taps", "orders")
    let recorder = try host.run(
      "[10, 30].publisher.\(text)".replacing("orders", with: "[20, 40].publisher")
    )
    #expect(recorder.joined == expected)
  }

  @Test(
    "what is no path is said",
    arguments: [
      ("taps.map(\\.)", "expected a name after the dot, found \")\""),
      (
        "taps.zip(taps).map(\\.2)",
        "there is no element 2: the array has 2 elements, counted from 0"
      ),
      ("taps.map(\\a)", "expected a dot and a name, found \"a\""),
    ]
  )
  func refusals(text: String, message: String) {
    let host = TestHost(subjects: "taps")
    let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(diagnostic?.message == message)
  }

  @Test("are laid out as they are written")
  func layout() {
    for text in [
      "taps.map(\\.0)", "taps.map(\\.a?.b)", "taps.map(\\.rows[0].id)", "taps.map(\\.self)",
    ] {
      #expect(ExpressionLayout.text(of: text) == text)
    }
  }
}
