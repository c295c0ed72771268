import FlowLanguage
import Testing

@Suite("Standing pipelines")
struct StandingPipelineTests {
  @Test("are a pipeline and the subject it ends in")
  func parts() throws {
    let host = TestHost(subjects: "orders", "revenue")
    let text = "orders.map { $0.price }.filter { $0 > 1 }.assign(to: revenue)"
    let standing = try host.standing(text)
    #expect(standing.text == text)
    #expect(standing.target == "revenue")
    #expect(standing.ending == .assign)
    #expect(standing.lastStage.text == "assign(to: revenue)")
    #expect(standing.pipeline.subjects == ["orders"])
    #expect(
      standing.pipeline.stages.map(\.text) == ["orders", "map { $0.price }", "filter { $0 > 1 }"]
    )
    #expect(try host.standing("orders.subscribe(revenue)").ending == .subscribe)
  }

  @Test(
    "say what is wrong, and where",
    arguments: [
      ("orders.map { $0 }", 17, "a run must end in .subscribe(SUBJECT) or .assign(to: SUBJECT)"),
      ("orders", 6, "a run must end in .subscribe(SUBJECT) or .assign(to: SUBJECT)"),
      (
        "orders.assign(to: revenu)", 18, "there is no subject \"revenu\"; did you mean \"revenue\"?"
      ),
      ("orders.assign(to: even)", 18, "even is a pipeline, expected a subject"),
      ("orders.assign(to: 3)", 18, "expected the name of a subject"),
      (
        "orders.assign(revenue)", 14,
        "missing label: assign(to: subject); did you mean \"to: revenue\"?"
      ),
      ("orders.asign(to: revenue)", 7, "there is no operator \"asign\"; did you mean \"assign\"?"),
      ("orders.assign()", 7, "assign needs \"to:\": assign(to: subject)"),
      ("orders.subscribe()", 7, "subscribe needs a subject: subscribe(subject)"),
      (
        "ordes.subscribe(revenue)", 0,
        "there is no subject or pipeline \"ordes\"; did you mean \"orders\"?"
      ),
      (
        "orders.fliter { $0 }.subscribe(revenue)", 7,
        "there is no operator \"fliter\"; did you mean \"filter\"?"
      ),
      (
        "orders.subscribe(revenue).map { $0 }.subscribe(revenue)", 7,
        "subscribe ends a RUN and is not a stage; SUB is the sink of a pipeline"
      ),
    ]
  )
  func mistakes(text: String, offset: Int, message: String) throws {
    let host = TestHost(subjects: "orders", "revenue")
    host.pipelines["even"] = try host.pipeline("orders.filter { $0 % 2 == 0 }")
    let diagnostic = #expect(throws: Diagnostic.self) { try host.standing(text) }
    #expect(diagnostic?.text == message)
    #expect(diagnostic?.offset == offset)
  }
}
