import FlowLanguage
import Testing

@testable import FlowFiles

@Suite("A pipeline by itself")
struct FreeExpressionTests {
  @Test(
    "publishers with a sign between them are told how to be joined",
    arguments: ["prices + orders", "prices - 1", "taps.flatMap { prices + $0 }"]
  )
  func publishers(_ text: String) throws {
    let error = try #require(#expect(throws: Diagnostic.self) { try FreeExpression(text) })
    #expect(error.kind == .combinesPublishers)
    #expect(error.message.contains("is for values"), "\(error.message)")
  }

  @Test("the mistakes of a run are those before its end, which may stand only there")
  func runs() throws {
    let run = try #require(
      #expect(throws: Diagnostic.self) { try FreeExpression("a.foo().bar().assign(to: b)") }
    )
    #expect(run.all.map(\.offset) == [2, 8])
    let inside = try #require(
      #expect(throws: Diagnostic.self) { try FreeExpression("a.assign(to: b).foo()") }
    )
    #expect(inside.all.map(\.offset) == [2, 16])
  }

  @Test(
    "of a name where a value is needed it is said that there is none",
    arguments: [("taps.map { orders }", "orders"), ("taps.filter { $0 > limit }", "limit")]
  )
  func values(_ text: String, _ name: String) throws {
    let error = try #require(#expect(throws: Diagnostic.self) { try FreeExpression(text) })
    #expect(error.kind != .combinesPublishers)
    #expect(error.message.contains("\"\(name)\""), "\(error.message)")
  }
}
