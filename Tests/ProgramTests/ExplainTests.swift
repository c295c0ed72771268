import FlowServerSupport
import Foundation
import Testing

@Suite("flowclient explain, with a server and without")
struct ExplainTests {
  private let address: String

  init() throws {
    let definitions = """
      SUBJECT taps
      SUBJECT out
      PIPELINE slow = taps.buffer(size: 23, prefetch: .keepFull, whenFull: .customError("no room"))
      PIPELINE a-b = slow.map { $0 }

      """
    address = try TestServer.start(definitions).address
  }

  private func client(_ arguments: String...) throws -> RunningProgram.Outcome {
    try RunningProgram("flowclient", arguments).finish()
  }

  @Test("with a server, shows what its pipelines hold")
  func server() throws {
    let result = try client("-s", address, "explain", "slow.map { $0 }")
    let lines = result.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 5, "\(result)")
    #expect(lines[1].hasPrefix(" 0  taps (slow) "))
    #expect(lines[2].contains("stops requesting; .customError('no room') for values"))
    #expect(lines[4] == " inside: at most 23 values")
    let hyphens = try client("-s", address, "explain", "a-b.map { $0 }")
    #expect(hyphens.output.hasSuffix(" inside: at most 23 values\n"), "\(hyphens)")
    let json = try client("-s", address, "-o", "json", "explain", "slow.map { $0 }")
    let row = try #require(json.output.split(separator: "\n").dropFirst().first)
    let object = try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: String]
    #expect(object?["holds"] == "23")
    #expect(object?["number"] == "1")
  }

  @Test("shows the place of an error that the server reports")
  func refused() throws {
    let result = try client("-s", address, "explain", "slwo.map { $0 }")
    #expect(
      result.remarks == """
        flowclient: there is no subject or pipeline "slwo"; did you mean "slow"?
          slwo.map { $0 }
          ^^^^

        """
    )
    #expect(result.status == 1)
  }

  @Test("without a server, does not know names or what they hold")
  func alone() throws {
    let result = try client("explain", "slow.map { $0 }")
    #expect(
      result.output.hasSuffix(
        "\n inside: what slow may hold, which is not known here\n"
      ),
      "\(result)"
    )
    #expect(
      result.remarks
        == "slow is unknown here, and so is what it holds; -s HOST:PORT asks its server\n"
    )
    #expect(result.status == 0)
    #expect(try client("explain", "Just(1)").remarks == "")
    #expect(try client("-s", "unix:/nonexistent/x", "explain", "slow.map { $0 }").status == 69)
  }

  @Test("carets mark the whole wrong part")
  func carets() throws {
    let result = try client("-s", address, "sub", "taps.takeUntil(out).map { $0 }")
    #expect(
      result.remarks == """
        flowclient: there is no operator "takeUntil"; did you mean "prefix(untilOutputFrom: out)"?
          taps.takeUntil(out).map { $0 }
               ^^^^^^^^^^^^^^

        """
    )
  }

  @Test("shows each mistake in its place")
  func mistakes() throws {
    let result = try client("explain", "taps.foo().take(3)")
    #expect(
      result.remarks == """
        flowclient: there is no operator "foo"
          taps.foo().take(3)
               ^^^
        there is no operator "take"; did you mean "prefix"?
          taps.foo().take(3)
                     ^^^^

        """
    )
  }

  @Test("shows a wrong expression without the demand after it")
  func demand() throws {
    for (text, message) in [
      ("taps.map { $0", "\"{\" has no matching \"}\"\n  taps.map { $0\n           ^\n"),
      ("taps.prefix(3", "\"(\" has no matching \")\"\n  taps.prefix(3\n             ^\n"),
      (
        "taps.map { 1 } x",
        "expected the end of the expression, found \"x\": a pipeline is a source with stages behind"
          + " dots, as in taps.filter { $0 > 1 }.map { $0 * 2 }\n  taps.map { 1 } x\n                 ^\n"
      ),
    ] {
      let result = try client("-s", address, "sub", text)
      #expect(result.remarks == "flowclient: \(message)")
      #expect(result.status == 1, "as if the server had refused it")
    }
  }
}
