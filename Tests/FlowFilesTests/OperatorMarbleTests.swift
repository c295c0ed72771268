import FlowWire
import Testing

@testable import FlowFiles
@testable import FlowLanguage

@Suite("The marbles of the reference page")
struct OperatorMarbleTests {
  /// The example as a test of a file, in which the pipeline is called `it`.
  private func play(_ example: MarbleExample) throws -> MarbleOutcome {
    var scene = MarbleScene()
    var lines = ["test \"marbles\" tick 1s"]
    for (name, marbles) in example.sources {
      scene.subjects.append((name, SubjectSettings()))
      lines.append("  \(name) \(marbles)")
    }
    if let demand = example.demand { lines.append("  it ⇠ \(demand)") }
    lines.append("  it \(example.output)")
    let names = example.sources.map(\.name)
    let pipeline = try Pipeline(
      example.text,
      lookup: { names.contains($0) ? .subject : nil },
      names: { names }
    )
    scene.pipelines.append(("it", pipeline))
    let file = FlowFile(lines.joined(separator: "\n"), name: "marbles.flow")
    try #require(file.findings.isEmpty, "\(file.findings)")
    let statement = try #require(file.statements.first)
    guard case .test(let test) = statement.kind else { throw NoTest() }
    return test.play(in: scene)
  }

  private struct NoTest: Error {}

  @Test(
    "are what each operator does",
    arguments: OperatorTable.all.filter { !$0.marbles.isEmpty }
  )
  func examples(_ entry: OperatorEntry) throws {
    for example in entry.marbles {
      let outcome = try play(example)
      #expect(outcome.difference == nil, "\(outcome.drawing.joined(separator: "\n"))")
      #expect(example.text.contains(entry.name))
    }
  }

  @Test("are there for each operator")
  func complete() {
    let without = OperatorTable.all.filter { $0.role == .stage && $0.marbles.isEmpty }
    #expect(without.map(\.name) == [])
  }

  @Test(
    "are there for each form of window",
    arguments: [
      "window(3) {", "window(.seconds(3)) {", "window(3, every: 2)", "window(2, every: 3)",
      "window(3, every: 1) {", "window(.seconds(5), every: .seconds(3))",
      "window(.seconds(5), every: .seconds(3)) {",
    ]
  )
  func windows(_ form: String) throws {
    let marbles = try #require(OperatorTable.entry("window")).marbles.map(\.text)
    #expect(marbles.contains { form.hasSuffix("{") ? $0.contains(form) : $0.hasSuffix(form) })
  }

  @Test("would not pass if they were wrong")
  func wrong() throws {
    let entry = try #require(OperatorTable.entry("map")?.marbles.first)
    let wrong = MarbleExample(entry.text, ["taps": "1-2-3-|"], gives: "2-4-7-|")
    #expect(try play(wrong).difference == "it differs in tick 4, at 4 s")
  }
}
