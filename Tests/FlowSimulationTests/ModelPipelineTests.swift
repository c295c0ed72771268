import Testing

@testable import FlowSimulation

@Suite("What a pipeline has to make of numbers, of which one has no answer")
struct ModelPipelineTests {
  private func model(_ operators: String) throws -> ModelPipeline {
    try #require(ModelPipeline("(1...6).publisher\(operators)"), "\(operators)")
  }

  @Test(
    "without try that number is left out and counted",
    arguments: [
      (".map { 60 / ($0 - 4) }", "-20 -30 -60 60 30"),
      (".compactMap { 60 / ($0 - 4) > 5 ? $0 : null }", "5 6"),
      (".scan(0) { $0 + 60 / ($1 - 4) }", "-20 -50 -110 -50 -20"),
      (".reduce(0) { $0 + 60 / ($1 - 4) }", "-20"),
      (".removeDuplicates { 60 / ($0 - 4) == 60 / ($1 - 4) }", "1 2 3 5 6"),
      (".last { 60 / ($0 - 4) > 5 }", "6"), (".min { 60 / ($0 - 4) < 60 / ($1 - 4) }", "3"),
      (".max { 60 / ($0 - 4) < 60 / ($1 - 4) }", "5"),
      (".contains { 60 / ($0 - 4) == 20 }", "false"),
      (".concatMap { Just(60 / ($0 - 4)) }", "-20 -30 -60 60 30"),
      (".zip((1...5).publisher) { 60 / ($0 - 4) + $1 }", "-19 -28 -57 65"),
      (".withLatest(from: (1...2).publisher) { a, b in 60 / (a - 4) + b }", "-18 -28 -58 62 32"),
    ]
  )
  func omitted(_ operators: String, _ items: String) throws {
    let model = try model(operators)
    #expect(model.items.map(\.text).joined(separator: " ") == items)
    #expect(model.omitted == 1 && model.failure == nil)
    #expect(
      model.objection(to: "DONE", after: model.items.map(\.text), dropped: 0, omitted: 0) != nil
    )
  }

  @Test(
    "a stage that ends before it does not leave it out",
    arguments: [
      (".first { 60 / ($0 - 4) < 5 }", "1"), (".prefix { 60 / ($0 - 4) > 5 }", ""),
      (".drop { 60 / ($0 - 4) > 5 }", "1 2 3 4 5 6"),
      (".allSatisfy { 60 / ($0 - 4) > 5 }", "false"),
      (".tryFirst { 60 / ($0 - 4) < 5 }", "1"), (".tryPrefix { 60 / ($0 - 4) > 5 }", ""),
      (".tryDrop { 60 / ($0 - 4) > 5 }", "1 2 3 4 5 6"),
    ]
  )
  func unmet(_ operators: String, _ items: String) throws {
    let model = try model(operators)
    #expect(model.items.map(\.text).joined(separator: " ") == items)
    #expect(model.omitted == 0 && model.failure == nil)
  }

  @Test(
    "with try the stage fails there",
    arguments: [
      (".tryMap { 60 / ($0 - 4) }", "-20 -30 -60"),
      (".tryScan(0) { $0 + 60 / ($1 - 4) }", "-20 -50 -110"),
      (".tryFilter { 60 / ($0 - 4) > 5 }", ""), (".tryReduce(0) { $0 + 60 / ($1 - 4) }", ""),
      (".tryLast { 60 / ($0 - 4) > 5 }", ""),
      (".tryRemoveDuplicates { 60 / ($0 - 4) == 60 / ($1 - 4) }", "1 2 3"),
      (".tryMin { 60 / ($0 - 4) < 60 / ($1 - 4) }", ""),
      (".tryContains { 60 / ($0 - 4) == 20 }", ""),
    ]
  )
  func failing(_ operators: String, _ items: String) throws {
    let model = try model(operators)
    #expect(model.items.map(\.text).joined(separator: " ") == items)
    #expect(model.omitted == 0 && model.failure == "stage")
  }
}
