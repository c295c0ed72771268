import Testing

@testable import FlowLanguage

@Suite("What running pipelines take")
struct StagePriceTests {
  private func pipeline(_ text: String, _ others: [String: Pipeline] = [:]) throws -> Pipeline {
    try Pipeline(
      text,
      lookup: { name in
        if let other = others[name] { return .pipeline(other) }
        return ["a", "b", "c"].contains(name) ? .subject : nil
      },
      names: { [] }
    )
  }

  private func price(_ text: String, _ others: [String: Pipeline] = [:]) throws -> Int {
    try pipeline(text, others).price(isCounted: false)
  }

  @Test("adds up what its stages take")
  func sum() throws {
    let (a, map) = (try price("a"), try price("a.map { $0 }"))
    #expect(a > 0 && map > a)
    #expect(try price("a.map { $0 }.map { $0 }") == map + (map - a))
  }

  @Test("counts each publisher that is joined")
  func joined() throws {
    let (two, three) = (try price("a.merge(with: b)"), try price("a.merge(with: b, c)"))
    #expect(three - two > (try price("a")))
  }

  @Test("of publishers that run one after the other, counts the largest and half of the rest")
  func inTurn() throws {
    let large = try price("a.merge(with: b).append(c)")
    let difference = try price("a.merge(with: b)") - price("a")
    #expect(try large - price("a.append(b)") == difference)
    #expect(try price("a.append(b.merge(with: c))") == large)
  }

  @Test("leaves what is made of values to when it opens")
  func asOpened() throws {
    #expect(try price("a.flatMap { v in b }") == price("a.flatMap { v in b.map { $0 } }"))
  }

  @Test("takes a named pipeline for what it is")
  func named() throws {
    let wide = try pipeline("a.merge(with: b, c)")
    #expect(try price("w", ["w": wide]) == wide.price(isCounted: false))
    let more = try price("a.merge(with: w)", ["w": wide]) - price("a.merge(with: b)")
    #expect(try more == wide.price(isCounted: false) - price("b"))
  }

  @Test("counts what is before a share not for each subscription")
  func shared() throws {
    #expect(try price("a.merge(with: b, c).share()") == price("a.share()"))
  }

  @Test("has a price for each row of the table")
  func rows() {
    let free = ["eraseToAnyPublisher", "setFailureType", "receive", "autoconnect"]
    for entry in OperatorTable.all where entry.role != .ending && !free.contains(entry.name) {
      #expect(entry.price.stage > 0, "\(entry.name)")
    }
  }
}
