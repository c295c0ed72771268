import FlowTestSupport
import Foundation
import Testing

@Suite("flowclient on files, without a server")
struct FileCommandTests {
  private func client(_ arguments: String...) throws -> RunningProgram.Outcome {
    try RunningProgram("flowclient", arguments).finish()
  }

  @Test("lint reports errors and warnings in their places, and exits with 1 for errors")
  func lint() throws {
    let bad = try TestFolder.file("SUBJECT a\nPIPELINE b = a.fliter { $0 }\nSUBJECT c\n")
    let result = try client("lint", bad)
    #expect(
      result.output == """
        \(bad):2:16: error: there is no operator "fliter"; did you mean "filter"?
          PIPELINE b = a.fliter { $0 }
                         ^^^^^^
        \(bad):3:1: warning W5: nothing in the files reads c or sends to it; delete it, or write "# lint: ignore W5" above it if clients use it directly
          SUBJECT c
          ^^^^^^^^^

        """
    )
    #expect(result.remarks == "1 error, 1 warning in 1 file\n")
    #expect(result.status == 1)
  }

  @Test("only warnings are exit 0, or 1 with --strict")
  func strict() throws {
    let path = try TestFolder.file("SUBJECT a\n")
    #expect(try client("lint", path).status == 0)
    #expect(try client("lint", "--strict", path).status == 1)
    let clean = try TestFolder.file("SUBJECT a\nPIPELINE b = a\n")
    #expect(try client("lint", "--strict", clean).status == 0)
  }

  @Test("lint prints annotations for GitHub and JSON for programs")
  func forms() throws {
    let path = try TestFolder.file("SUBJECT a\nSUBJECT b flow=\"x\"\nPIPELINE c = a\n")
    let message = #"flow is "\"x\"", expected free or slowest; the form is SUBJECT NAME"#
    let github = try client("lint", "--format", "github", path).output
    #expect(github.hasPrefix("::error file=\(path),line=2,col="), "\(github)")
    let json = try client("lint", "--format=json", path).output
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    )
    #expect(object["line"] as? Int == 2)
    #expect(object["severity"] as? String == "error")
    #expect((object["message"] as? String)?.hasPrefix(String(message.prefix(8))) ?? false)
    let warning = try client("lint", "--format", "github", try TestFolder.file("SUBJECT a\n"))
      .output
    #expect(warning.contains(",title=W5::nothing in the files reads a"))
  }

  @Test("a server starts with a file exactly if lint finds no error")
  func sameAsTheServer() throws {
    for (text, isRight) in [
      ("SUBJECT a\nrun r = a.map { $0 }\n  .assign(to: a2)\n", false),
      ("set stall 5s\nSUBJECT a\nSUBJECT b\nRUN r = a.assign(to: b)\n", true),
      ("SUBJECT a\ntest \"x\"\n  b 1\n", false), ("include nowhere.flow\n", false),
    ] {
      let path = try TestFolder.file(text)
      #expect(try client("lint", "-q", path).status == (isRight ? 0 : 1), "\(text)")
      let check = try RunningProgram("FlowServer", ["check", path]).finish()
      #expect(check.status == (isRight ? 0 : 78), "\(text)")
    }
  }

  @Test("test plays the tests, and a failure shows both diagrams")
  func test() throws {
    let good = "SUBJECT a\nPIPELINE b = a.map { $0 * 2 }\ntest \"doubles\"\n  a 12\n  b 24\n"
    let path = try TestFolder.file(good)
    #expect(
      try client("test", path)
        == .init(output: "\(path): 1 of 1 test passed\n", remarks: "", status: 0)
    )
    let bad = try TestFolder.file(good + "test \"wrong\"\n  a 12\n  b 23\n")
    let result = try client("test", bad)
    #expect(
      result.output == """
        \(bad):6: "wrong" failed: b differs in tick 1, at 1 s
            a  12
            b  23   expected
            b  24   got
                ^
        \(bad): 1 of 2 tests passed

        """
    )
    #expect(result.status == 1)
    let wrong = try client("test", try TestFolder.file("SUBJCT a\n"))
    #expect(wrong.status == 1 && wrong.output.contains("did you mean \"SUBJECT\"?"))
  }

  @Test("an endless test does not hide the other tests")
  func hidesNone() throws {
    // Each stage doubles the number of values.
    let doubling = String(repeating: ".flatMap { Just($0).append(1) }", count: 60)
    let path = try TestFolder.file(
      """
      SUBJECT taps
      PIPELINE plain = taps.map { $0 }
      PIPELINE endless = taps\(doubling)
      test "first"
          taps   1
          plain  1
      test "second"
          taps     1
          endless  1
      test "third"
          taps   1
          plain  2
      test "fourth"
          taps   1
          plain  1

      """
    )
    let result = try client("test", "-v", "--timeout", "3s", path)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "\(path):7: \"second\" took longer than 3 s", "\(result.output)")
    #expect(
      lines.contains { $0.hasPrefix("\(path):10: \"third\" failed: plain differs in tick 0") }
    )
    #expect(lines.last == "\(path): 2 of 4 tests passed")
    #expect(result.remarks.contains("\"fourth\" passed"))
    #expect(result.status == 1)
  }

  @Test("a test has the limits that the file sets")
  func limits() throws {
    let text = """
      set inner-publisher-limit 2
      SUBJECT a
      PIPELINE b = a.flatMap { Just($0).delay(for: 5) }
      test "three at once are too many"
        a 123
        b --^

      """
    let result = try client("test", try TestFolder.file(text))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("each test has a new instance of a shared pipeline")
  func shared() throws {
    let test = "test \"x\"\n  a 12\n  b 12\n"
    let path = try TestFolder.file("SUBJECT a\nPIPELINE b = a.share()\n\(test)\(test)")
    #expect(try client("test", path).status == 0)
  }

  @Test("fmt changes files in place, --check only names them")
  func format() throws {
    let path = try TestFolder.file("subject   a\n\n\npipeline b=a\n")
    #expect(
      try client("fmt", "--check", path) == .init(output: "\(path)\n", remarks: "", status: 1)
    )
    #expect(try client("fmt", path) == .init(output: "\(path)\n", remarks: "", status: 0))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "SUBJECT a\n\nPIPELINE b = a\n")
    #expect(try client("fmt", "--check", path) == .init(output: "", remarks: "", status: 0))
    let piped = try RunningProgram("flowclient", ["fmt", "-"])
    piped.type("run  r = a.assign(to:b)")
    #expect(piped.finish().output == "RUN r = a.assign(to: b)\n")
    let bad = try TestFolder.file(".map { $0 }\n")
    let result = try client("fmt", bad)
    #expect(result.status == 65 && result.remarks.contains("\(bad):1:1: error: "))
    #expect(try String(contentsOfFile: bad, encoding: .utf8) == ".map { $0 }\n")
  }

  @Test(
    "fmt leaves files with errors as they are, except for unknown names",
    arguments: [
      ("SUBJECT a\nPIPELINE\n b = a.map { $0 }\n", 65), ("SUBJCT  a\n", 65),
      ("SUBJECT a\nPIPELINE b = a.map { $0 \n", 65), ("SUBJECT a\nPIPELINE b=a.fliter{$0}\n", 65),
      ("PIPELINE b=a.map{$0}\n", 0), ("include elsewhere.flow\nRUN r=a.assign(to:b)\n", 0),
      ("test  \"x\"\n a 1\n", 0),
    ]
  )
  func formatRefuses(_ text: String, _ status: Int32) throws {
    let path = try TestFolder.file(text)
    let result = try client("fmt", path)
    #expect(result.status == status, "\(result)")
    let after = try String(contentsOfFile: path, encoding: .utf8)
    #expect((after == text) == (status == 65))
    if status == 65 { #expect(try client("lint", path).status == 1) }
  }

  @Test("fmt changes the target of a symbolic link, and keeps link and rights")
  func formatLink() throws {
    let path = try TestFolder.file("subject   a\n")
    let link = path + ".link"
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(try client("fmt", link).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "SUBJECT a\n")
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(rights as? Int == 0o600)
  }

  @Test("explain draws a table, of an expression or of a file")
  func explain() throws {
    let text =
      "orders.buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest)"
      + ".flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }"
    let result = try client("explain", text)
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 7, "\(result)")
    #expect(lines.first?.contains("stage") ?? false)
    #expect(lines[2].hasPrefix(" 1    buffer(size: 16, prefetch: .keepFull, whenF…"))
    #expect(lines[2].contains("16, then 1 for each value taken"))
    #expect(lines[4].hasPrefix(" 2.0  ⤷ Just($0)"))
    #expect(
      lines[6]
        == " inside: at most 16 + 2 values, and what orders may hold, which is not known here"
        + "; sustained rate: at most 50/s (2 / 40 ms)"
    )
    #expect(
      result.remarks
        == "orders is unknown here, and so is what it holds; -s HOST:PORT asks its server\n"
    )
    let path = try TestFolder.file(
      "SUBJECT a\nPIPELINE b = a.map { $0 }\nRUN c = b.assign(to: a2)\n"
    )
    #expect(try client("explain", path).status == 65)
    let good = try TestFolder.file(
      "SUBJECT a\nSUBJECT z\nPIPELINE b = a\nRUN c = b.assign(to: z)\n"
    )
    let ofFile = try client("explain", "-o", "json", good).output.split(separator: "\n")
    #expect(
      ofFile.count == 3 && ofFile[1].hasPrefix("{\"name\":\"c\",\"number\":\"0\""),
      "\(ofFile)"
    )
    let table = try client("explain", good).output
    #expect(table.hasPrefix("PIPELINE b\n #  stage") && table.contains("\nRUN c\n"), "\(table)")
    let json = try client("explain", "-o", "json", text).output.split(separator: "\n")
    #expect(json.count == 5 && json[0].hasPrefix("{\"number\":\"0\",\"stage\":\"orders\""))
    let wrong = try client("explain", "orders.fliter { $0 }")
    #expect(wrong.status == 65)
    #expect(
      wrong.remarks == """
        flowclient: there is no operator "fliter"; did you mean "filter"?
          orders.fliter { $0 }
                 ^^^^^^

        """
    )
  }

  @Test("graph in four forms")
  func graph() throws {
    let path = try TestFolder.file("SUBJECT a\nPIPELINE b = a\n")
    #expect(try client("graph", path).output == "a  → b\nb  ← a\n")
    #expect(try client("graph", "-o", "dot", path).output.hasPrefix("digraph flow {\n"))
    #expect(try client("graph", "a.map { $0 }", "-o", "mermaid").output.hasPrefix("flowchart LR\n"))
    #expect(
      try client("graph", "-o", "json", path).output == """
        {"nodes":[{"label":"a","kind":"subject"},{"label":"b","kind":"pipeline"}],\
        "edges":[{"from":0,"to":1}]}

        """
    )
    #expect(try client("graph", "-o", "csv", path).status == 64)
  }

  @Test("completions name every command and option")
  func completion() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try client("completion", shell).output
      for word in ["lint", "apply", "completion", "dry-run"] {
        #expect(script.contains(word), "\(shell) \(word)")
      }
    }
    #expect(try client("completion", "tcsh").status == 64)
    #expect(try client("completion").status == 64)
  }

  @Test("an included file that is no text is an error at the include")
  func noText() throws {
    let path = try TestFolder.file(Data([0x53, 0xFF, 0x0A]))
    let outer = try TestFolder.file("include \(path)\n")
    let result = try client("lint", outer)
    #expect(result.output.hasPrefix("\(outer):1:1: error: \(path) is not UTF-8 text\n"))
    let check = try RunningProgram("FlowServer", ["check", outer]).finish()
    #expect(check.remarks.contains("\(outer):1:1: error: \(path) is not UTF-8 text\n"))
    #expect(result.status == 1 && check.status == 78)
  }

  @Test("an unreadable file is exit 66, a missing argument 64")
  func exits() throws {
    for verb in ["lint", "test", "fmt", "apply"] {
      #expect(try client(verb, "/nonexistent.flow").status == 66)
      #expect(try client(verb).status == 64)
    }
    #expect(try client("test", "--strict", "x").status == 64)
    #expect(try client("lint", "--format", "xml", "x").status == 64)
  }

  @Test("the examples are clean and their tests pass")
  func examples() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = "/\(root)/Examples"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".flow") }
    #expect(!names.isEmpty)
    for name in names {
      let lint = try client("lint", "--strict", "\(folder)/\(name)")
      #expect(lint.status == 0, "\(lint.output)")
      #expect(try client("fmt", "--check", "\(folder)/\(name)").status == 0)
      let test = try client("test", "\(folder)/\(name)")
      #expect(test.status == 0, "\(test.output)")
    }
  }
}
