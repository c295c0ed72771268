import FlowLanguage
import Testing

@Suite("Closures are bounded")
struct BoundTests {
  private func failure(_ body: String, of payload: String) throws -> String {
    let closure = try ValueClosure("{ \(body) }")
    let failure = #expect(throws: PipelineFailure.self) { try closure(value(payload)) }
    let message = try #require(failure?.message)
    #expect(message.hasPrefix("{ \(body.prefix(150))"))
    let stage = try #require(message.firstRange(of: body.count > 190 ? "…: " : " }: "))
    return String(message[stage.upperBound...].prefix { $0 != ";" })
  }

  private let thousand = "[" + (1...1000).map(String.init).joined(separator: ",") + "]"

  @Test("in steps: closures in closures end")
  func steps() throws {
    let reason = try failure("$0.map { a in $0.map { b in a * b } }", of: thousand)
    #expect(reason == "took more than 1000000 steps")
  }

  @Test("a map over a long array is within the bound")
  func longArray() throws {
    let closure = try ValueClosure(
      "{ (0..<50000).map { $0 * 2 }.filter { $0 % 1000 == 0 }.count }"
    )
    #expect(try closure(.null).text == "100")
  }

  @Test("in size: doubling a string and an array ends")
  func size() throws {
    let doubled = (0..<20).reduce("$0") { text, _ in "(\(text)).replacing(\"x\", with: \"xx\")" }
    #expect(try failure(doubled, of: "\"xxxx\"") == "a value can have at most 1 MiB")
    let lets = (1...12).reduce("let a0 = $0") { "\($0); let a\($1) = a\($1 - 1) + a\($1 - 1)" }
    #expect(try failure("\(lets); a12", of: thousand) == "a value can have at most 1 MiB")
  }

  @Test("in size: what escapes make of a string counts")
  func escapes() throws {
    let bytes = "\"" + String(repeating: "\\u0001", count: 175_000) + "\""
    #expect(try failure("$0 + \"\"", of: bytes) == "a value can have at most 1 MiB")
  }

  @Test("in depth: a scan that wraps its result ends")
  func depth() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.tryScan([]) { [$0] }")
    for _ in 0..<200 { host.send("1", to: "taps") }
    #expect(recorder.values.count == 127)
    let message = try #require(recorder.failure?.message)
    #expect(message.contains("a value can be nested at most 128 deep"))
  }
}
