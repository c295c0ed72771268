import FlowFiles
import FlowLanguage
import FlowWire
import Testing

@Suite("Names with levels in files")
struct NameLevelTests {
  @Test("a file defines, reads and tests them")
  func file() throws {
    let text = """
      SUBJECT s/kitchen/temp
      SUBJECT s/17/temp
      SUBJECT out/all
      PIPELINE rooms/temp = s/*/temp.map { "\\($name) \\($0 / 2)" }
      RUN collect/all = rooms/temp.merge(with: s/17/temp).assign(to: out/all)
      test "each with its name" tick 1s
        s/kitchen/temp  2---6
        s/17/temp       --4
        rooms/temp      's/kitchen/temp 1'-'s/17/temp 2'-'s/kitchen/temp 3'
      """
    let result = try definitions(text)
    try #require(result.errors.isEmpty, "\(result.errors)")
    #expect(Lint.warnings(of: result).isEmpty)
    let graph = Graph(result).lines(.text)
    #expect(graph.contains("rooms/temp  ← s/*/temp  → collect/all"))
    for step in result.tests {
      guard case .test(let test) = step.statement.kind else { continue }
      let outcome = test.play(in: result.scene)
      #expect(outcome.difference == nil, "\(outcome.drawing)")
    }
  }

  @Test(
    "what is wrong is told in its place",
    arguments: [
      ("SUBJECT a//b", "1:9: name is \"a//b\", expected a name without empty levels, such as a/b"),
      ("SUBJECT a/b\nPIPELINE p = a//b", "2:14: a name has no empty levels; did you mean \"a/b\"?"),
      (
        "SUBJECT a/b\nPIPELINE p = a/c",
        "2:14: there is no subject or pipeline \"a/c\"; did you mean \"a/b\"?"
      ),
      ("SUBJECT a/b\nRUN r = a/*.assign(to: a/b)", "r would feed itself: a/b → a/b"),
      (
        "SUBJECT a/b\nSUBJECT c\nRUN r = c.assign(to: a/b)\nRUN q = a/**.assign(to: c)",
        "q would feed itself: a/b → c → a/b"
      ),
    ]
  )
  func wrong(_ text: String, _ message: String) throws {
    let found = try errors(text)
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
  }

  @Test("a trial joins the subjects of its rows, and those of the server that fit")
  func trial() throws {
    let tape = try tape("s/*.map { [$name, $0] }", ["s/a 1-3", "s/b -2"])
    let out = tape.stages.last?.out.map(\.text) ?? []
    #expect(out == ["[\"s/a\",1]", "[\"s/b\",2]", "[\"s/a\",3]"])
  }
}
