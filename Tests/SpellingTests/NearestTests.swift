import Spelling
import Testing

@Suite("nearest(to:among:)")
struct NearestTests {
  private let words = ["PIPELINE", "SUB", "SEND", "SUBJECT", "filter", "flatMap"]

  @Test(
    "finds the word that was meant",
    arguments: [
      ("pipelin", "PIPELINE"),
      ("PIPELINES", "PIPELINE"),
      ("pieplien", "PIPELINE"),
      ("fliter", "filter"),
      ("flatmap", "flatMap"),
      ("SNED", "SEND"),
      ("SUBJ", "SUB"),
      ("sub", "SUB"),
      ("subjekt", "SUBJECT"),
    ]
  )
  func meant(_ word: String, _ expected: String) {
    #expect(nearest(to: word, among: words) == expected)
  }

  @Test(
    "finds nothing where nothing is close",
    arguments: ["", "FEED", "SU JECTS!", "map", "ppppeeline", String(repeating: "x", count: 200)]
  )
  func nothing(_ word: String) {
    #expect(nearest(to: word, among: words) == nil)
  }

  @Test("prefers the closer word, and the first of equals")
  func preference() {
    #expect(nearest(to: "scan", among: ["scam", "scan"]) == "scan")
    #expect(nearest(to: "scat", among: ["scan", "scam"]) == "scan")
    #expect(nearest(to: "scat", among: []) == nil)
  }

  @Test("counts characters, not octets")
  func characters() {
    #expect(nearest(to: "größe", among: ["große"]) == "große")
    #expect(nearest(to: "é", among: ["e"]) == "e")
  }
}
