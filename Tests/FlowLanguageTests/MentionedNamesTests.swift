import Testing

@testable import FlowLanguage

@Suite("Pipelines that name others")
struct MentionedNamesTests {
  private final class Names {
    var all: [String: Pipeline] = [:]

    func define(_ name: String, _ text: String) throws {
      all[name] = try Pipeline(
        text,
        named: name,
        lookup: { [self] in
          if let other = all[$0] { return .pipeline(other) }
          return $0 == "s" ? .subject : nil
        },
        names: { [] }
      )
    }
  }

  @Test("name all that those name, in the order of the text")
  func order() throws {
    let names = Names()
    try names.define("p", "s.map { $0 }")
    try names.define("q", "p.flatMap { ask(svc, $0) }")
    try names.define("r", "q.merge(with: p)")
    #expect(names.all["r"]?.mentions == ["s", "q", "p", "svc"])
  }

  @Test("name what a pipeline of the same name named before")
  func renamed() throws {
    let names = Names()
    try names.define("p", "s.flatMap { ask(one, $0) }")
    try names.define("q", "p")
    try names.define("p", "s.flatMap { ask(two, $0) }")
    try names.define("r", "p")
    try names.define("all", "q.merge(with: r)")
    #expect(names.all["all"]?.mentions == ["s", "q", "p", "one", "r", "two"])
  }

  @Test("share their stages with all that are no more than a name")
  func shared() throws {
    let names = Names()
    try names.define("w", "s.map { $0 }")
    for number in 1...3 { try names.define("w\(number)", number == 1 ? "w" : "w\(number - 1)") }
    let last = try #require(names.all["w3"])
    #expect(last.stages.map(\.pipeline) == ["w", "w"])
    #expect(last.root === names.all["w"])
    #expect(last.bytes == 1024 + 80 * 2)
  }

  @Test("may stand in a long row, and go one after the other", .timeLimit(.minutes(1)))
  func row() throws {
    let names = Names()
    try names.define("p0", "s")
    let count = 20_000
    for number in 1...count { try names.define("p\(number)", "p\(number - 1)") }
    var last = names.all["p\(count)"]
    #expect(last?.mentions.count == count + 1)
    names.all = [:]
    last = nil
    #expect(last == nil)
  }
}
