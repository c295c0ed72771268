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

  @Test("counts characters, not bytes")
  func characters() {
    #expect(nearest(to: "größe", among: ["große"]) == "große")
    #expect(nearest(to: "é", among: ["e"]) == "e")
  }

  @Test("is what the whole table of distances says")
  func reference() {
    var state: UInt64 = 7
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    func word(_ length: Int) -> String {
      String((0..<length).map { _ in "abc".randomElement(next) })
    }
    for _ in 0..<5_000 {
      let (a, b) = (word(next(12)), word(next(12)))
      let limit = max(a.count, b.count) <= 4 ? 1 : 2
      let isNear = distance(Array(a), Array(b)) <= limit
      #expect((nearest(to: a, among: [b]) != nil) == isNear, "\(a) \(b)")
    }
  }

  /// The optimal string alignment distance, by its definition.
  private func distance(_ a: [Character], _ b: [Character]) -> Int {
    var table = (0...a.count).map { i in (0...b.count).map { j in i == 0 ? j : i } }
    for i in a.indices.map({ $0 + 1 }) {
      for j in b.indices.map({ $0 + 1 }) {
        var cost = min(table[i - 1][j] + 1, table[i][j - 1] + 1)
        cost = min(cost, table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cost = min(cost, table[i - 2][j - 2] + 1)
        }
        table[i][j] = cost
      }
    }
    return table[a.count][b.count]
  }
}

extension String {
  fileprivate func randomElement(_ next: (Int) -> Int) -> Character { Array(self)[next(count)] }
}
