import FlowLanguage
import FlowWire
import Testing

@testable import flowclient

@Suite("What is wrong with a line being typed")
struct DiagnosisTests {
  private static let examples: [String] =
    Verb.allCases.flatMap(\.entry.examples)
    + OperatorTable.all.map { entry in
      entry.role == .ending ? "RUN a = \(entry.example)" : "PIPELINE a = \(entry.example)"
    }
    + [
      "RUN a restart=1s = orders.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }.assign(to: b)",
      "PIPELINE a = Timer.publish(every: 1).autoconnect().map { 1 }",
      "SUB [1, 2].publisher.map { $0 } 3",
      "PIPELINE a = orders.scan(0) { total, order in total + order.price }.filter { $0 > 3 && $0 < 9 }",
      "PIPELINE a = orders.map { Just($0) }.switchToLatest()",
      "SUB lab-1.zip(lab-2) { a, b in a - b } max",
      #"PIPELINE a = orders.map { order in let x = order.price * 2; return "\(x) of \(order.id)" }"#,
      "PIPELINE a = orders\n  .filter { $0.a }\n  .map { $0.b }", "@7 SUB orders 5 as=2",
    ]

  @Test("is nothing as long as it is right so far", arguments: examples)
  func rightSoFar(_ line: String) {
    let characters = Array(line)
    // Each place takes several compilations: of a line every third is tried, of the next one others.
    for end in stride(from: characters.count % 3, through: characters.count, by: 3) {
      let found = Diagnosis(Array(characters[..<end]), known: { $0.hasPrefix("lab-") })
      #expect(found == nil, "behind \(String(characters[..<end]))")
    }
  }

  @Test(
    "is told as soon as nothing can mend it",
    arguments: [
      ("PIPELIN x", "PIPELIN", "unknown command \"PIPELIN\"; did you mean PIPELINE?"),
      (
        "SUB orders.debonce(for: 1).", "debonce",
        "there is no operator \"debonce\"; did you mean \"debounce\"?"
      ),
      (
        "SUB orders.debonce(for:", "debonce",
        "there is no operator \"debonce\"; did you mean \"debounce\"?"
      ),
      (
        "SUB orders.debonce(", "debonce",
        "there is no operator \"debonce\"; did you mean \"debounce\"?"
      ),
      ("PIPELINE a = orders.map { $0 })", ")", ""),
      ("PIPELINE a = orders.flatMap { x in Just(x).debonce(for: 1).map", "debonce", ""),
      ("REQ 1 x ", "x", "count is \"x\""), ("REQ 1 5 6 ", "6", "unexpected argument \"6\""),
      ("PIPELINE a = orders\n  .debonce(for: 1)\n  .map", "debonce", ""),
      ("SUB lab-1.debonce(for: 1).map", "debonce", ""),
      ("LIST piplines ", "piplines", "kind is \"piplines\""),
    ]
  )
  func wrong(_ line: String, _ part: String, _ message: String) throws {
    let characters = Array(line)
    let found = try #require(Diagnosis(characters, known: { $0.hasPrefix("lab-") }))
    #expect(String(characters[found.range.clamped(to: 0..<characters.count)]) == part)
    #expect(found.message.hasPrefix(message))
  }

  @Test(
    "is nothing of what the server alone knows",
    arguments: [
      "SUB nobody.map { $0 } 3", "SEND x {", "SEND x \"", "= 1 {", ": 1 5", "# )", "AUTH a b ",
      ":save",
    ]
  )
  func names(_ line: String) {
    #expect(Diagnosis(Array(line)) == nil)
  }

  @Test(
    "goes on in the next line while brackets are open",
    arguments: [
      ("PIPELINE a = b.map {", true), ("PIPELINE a = b.map { $0 }", false), ("PIPELINE a =", true),
      ("PIPELINE a = ", true), ("RUN a restart=1s =", true), ("SUB b.map(", true), ("SUB b", false),
      ("SEND a {", false), ("FEED a", false), ("PIPELINE a = b.map {\n", false),
      ("PIPELINE a = b.map {\n $0", true), ("PIPELINE a = b.map { \"x", true),
      ("PIPELINE a = b(\"x", true), ("PIPELINE a = \"x", false), ("PIPELINE a", false),
      ("EXPLAIN a.", true), ("LIST", false), ("", false), ("PIPELINE a = b.map { \"\\($0", true),
      ("PIPELINE a = b.map { $0.matches(/{/) }", false), ("PIPELINE a = b.map { \"{\" }", false),
      ("PIPELINE a = b.scan(0) { total, order", true), ("PIPELINE a = b.map(\\.a", true),
    ]
  )
  func continues(_ line: String, _ continues: Bool) {
    #expect(TypedLine(line).continuesOnNextLine == continues)
  }
}
