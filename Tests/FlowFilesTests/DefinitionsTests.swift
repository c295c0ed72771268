import FlowFiles
import FlowLanguage
import Testing

@Suite("what files define")
struct DefinitionsTests {
  @Test("lines of the wire in any case, over several lines, with comments")
  func reads() throws {
    let result = try definitions(
      """
      # a shop
      subject orders flow=slowest  # none is lost
      Subject revenue current "#1"

      PIPELINE dear = orders
        # only these
        .filter { order in   # a comment inside
          order.price > 100
        }

        .map { $0.price }
      run totals = dear.scan(0) { $0 + $1 }
        .assign(to: revenue)
      set value-limit 64KiB
      """
    )
    #expect(result.errors.isEmpty)
    #expect(result.all.map(\.name) == ["orders", "revenue", "dear", "totals"])
    #expect(
      result["dear"]?.pipeline?.text
        == "orders.filter { order in order.price > 100 }.map { $0.price }"
    )
    #expect(result.settings.map(\.value) == [65_536])
    #expect(result["totals"]?.line.number == 12)
  }

  @Test("a long row of names, each for the one before", .timeLimit(.minutes(1)))
  func row() throws {
    let lines = (1..<10_000).map { "PIPELINE p\($0) = p\($0 - 1)" }
    let result = try definitions("SUBJECT s\nPIPELINE p0 = s\n" + lines.joined(separator: "\n"))
    #expect(result.errors.isEmpty)
    #expect(result.all.count == 10_001)
  }

  @Test("a text of many lines that is too long", .timeLimit(.minutes(1)))
  func continued() throws {
    let lines = String(repeating: "  .map { $0 + 1 }\n", count: 40_000)
    let text = "SUBJECT a\nPIPELINE p = a\n" + lines
    #expect(try errors(text) == ["2:14: the text is longer than 16 KiB"])
  }

  @Test("many errors in many lines", .timeLimit(.minutes(1)))
  func manyErrors() throws {
    let lines = (0..<10_000).map { "PIPELINE p\($0) = a.mapp { $0 }" }
    #expect(try errors("SUBJECT a\n" + lines.joined(separator: "\n")).count == 1001)
  }

  @Test("all errors at once, each in its place")
  func allErrors() throws {
    let found = try errors(
      """
      SUBJECT orders flwo=slowest
      SUBJCT taps
      PIPELINE x = orders.fliter { $0 > 1 }
      PIPELINE y = orders
        .map { $0 }
        .buffre(size: 3)
      RUN z = y.assign(to: nowhere)
      set valu-limit 3
      set stall soon
      SUBJECT log replay 70000
      """
    )
    #expect(
      found.map { String($0.prefix { $0 != ";" && $0 != "," }) } == [
        "1:16: unknown option \"flwo\"",
        "2:1: unknown command \"SUBJCT\"",
        "3:21: there is no operator \"fliter\"",
        "6:4: there is no operator \"buffre\"",
        "7:22: there is no subject \"nowhere\"",
        "8:5: there is no setting \"valu-limit\"",
        "9:11: stall is \"soon\"",
        "10:1: replay is 70000",
      ]
    )
  }

  @Test("all errors of one definition, each in its place")
  func errorsOfOne() throws {
    let found = try errors(
      """
      SUBJECT orders
      SUBJECT taps
      PIPELINE x = orders.foo()
        .map { a => a }
        .debounce(300)
        .bar()
      RUN r = orders.foo().delay(3).assign(to: taps)
      RUN s = orders.foo().sink { $0 }
      """
    )
    #expect(
      found.map { String($0.prefix { $0 != ";" && $0 != "," }) } == [
        "3:21: there is no operator \"foo\"",
        "4:12: write a closure as { a in … }",
        "5:13: missing label: debounce(for: time",
        "6:4: there is no operator \"bar\"",
        "7:16: there is no operator \"foo\"",
        "7:28: missing label: delay(for: time",
        "8:16: there is no operator \"foo\"",
        "8:22: sink is not available in a pipeline: SUB is the sink",
        "8:33: a run must end in .subscribe(SUBJECT) or .assign(to: SUBJECT)",
      ]
    )
  }

  @Test("a file that is none has a thousand errors told")
  func tooMany() throws {
    for line in ["SEND a 1", "PIPELINE a = b"] {
      let errors = try errors(Array(repeating: line, count: 1200).joined(separator: "\n"))
      #expect(errors.count == 1001)
      #expect(
        errors.last
          == "1001:\(line.hasPrefix("S") ? 1 : 14): there are more than 1000 errors; the rest is not told"
      )
    }
  }

  @Test("a report shows the line and the place")
  func report() throws {
    let error = try #require(
      try definitions("SUBJECT a\nPIPELINE b = a.fliter { $0 }").errors.first
    )
    #expect(
      error.report == """
        shop.flow:2:16: error: there is no operator "fliter"; did you mean "filter"?
          PIPELINE b = a.fliter { $0 }
                         ^^^^^^
        """
    )
  }

  @Test("what a terminal would obey is shown as what it is")
  func visible() throws {
    let text = "PIPELINE b = a.\u{1B}]0;x\u{07}fliter"
    let error = try #require(try definitions("SUBJECT a\n\(text)").errors.first)
    #expect(error.report.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A }, "\(error.report)")
    #expect(error.report.contains("\n  PIPELINE b = a.\u{FFFD}]0;x\u{FFFD}fliter\n"))
    #expect(error.headline.contains("\\x1B"), "\(error.headline)")
  }

  @Test(
    "each rule has its message",
    arguments: [
      (
        ".map { $0 }", "1:1: a line that begins with \".\" must continue a PIPELINE or RUN"
      ),
      ("SUBJECT a\n  .map { $0 }", "2:3: a line that begins with \".\" must continue a PIPELINE"),
      ("SUBJECT a\nSUBJECT a flow=slowest", "2:1: a has a different definition at 1"),
      ("set stall", "1:1: set takes a key and a value, as in: set value-limit 64KiB"),
      ("set stall 5s\nset stall 6s", "2:1: stall is set twice"),
      ("set value-limit 9GiB", "1:17: value-limit is \"9GiB\", expected a size such as 64KiB"),
      ("set grant 0", "1:11: grant is \"0\", expected a number, from 1 to 16777216"),
      ("include", "1:1: include takes a path, as in: include subjects.flow"),
      ("include gone.flow", "1:1: cannot read gone.flow: no such file"),
      ("// a comment", "1:1: comments begin with #"),
      ("SEND a 1", "1:1: unknown command \"SEND\"; expected SUBJECT, PIPELINE, RUN"),
      ("PIPELINE a = b", "1:14: there is no subject or pipeline \"b\""),
      ("PIPELINE a", "1:11: \"=\" is missing after the name"),
      ("PIPELINE a b", "1:11: \"=\" is missing after the name"),
      ("PIPELINE", "1:9: name is missing"),
      ("PIPELINE a = ", "1:13: the pipeline is missing after \"=\""),
      ("PIPELINE a = a.map { $0 }", "1:14: a would read itself"),
      ("SUBJECT b\nRUN a = a.assign(to: b)", "2:9: a would read itself"),
      (
        "PIPELINE a = b.map { $0 }\nPIPELINE b = Just(1)",
        "1:14: b is defined later, at 2; define it before it is used"
      ),
      ("SUBJECT $a", "1:1: $a belongs to the server; it can only be read"),
      ("set name-limit 1\nSUBJECT a\nSUBJECT b", "3:1: the limit of 1 subjects is reached"),
      (
        "SUBJECT a\nSUBJECT b\nRUN r = a.assign(to: b)\nPIPELINE p = r",
        "4:14: r is a run; read b, where its values go"
      ),
      (
        "SUBJECT a\nSUBJECT b\nRUN r = a.assign(to: b)\nRUN s = b.assign(to: a)",
        "4:1: error W6: s would feed itself: b → a → b"
      ),
      (
        "PIPELINE a = [1, 2\n].publisher.map {\nSUBJECT b",
        "2:18: expected an expression, found the end of the text"
      ),
      ("test x", "1:1: expected the name of the test in quotes, as in: test \"slow ones"),
      ("test \"x\" tock 1s", "1:10: expected only a tick after the name, as in"),
      ("test \"x\" tick 1", "1:15: tick is \"1\", expected a time such as 100ms or 1s"),
      ("test \"x\"\n  a 1", "2:3: unknown name \"a\""),
      ("SUBJECT a\ntest \"x\"\n  a 1+", "3:6: + is not a marble; expected a letter or digit"),
      ("SUBJECT a\ntest \"x\"\n  a [1", "3:5: \"[\" has no \"]\""),
      ("SUBJECT a\ntest \"x\"\n  a 'x", "3:5: the text has no closing '"),
      ("SUBJECT a\ntest \"x\"\n  a 1\n  a 2", "4:3: duplicate row; the first one is in line 3"),
      ("SUBJECT a\ntest \"x\"\n  a <- u", "3:3: a is a subject; use such a row"),
      ("PIPELINE a = Just(1)\ntest \"x\"\n  a <- x", "3:8: x is not a demand; expected a digit"),
      ("PIPELINE a = Just(1)\ntest \"x\"\n  a ! x", "3:7: expected the number of dropped"),
      (
        "SUBJECT a\nRUN r = Just(1).assign(to: a)\ntest \"x\"\n  r <- u",
        "4:3: r is a run, whose demand is what its subject grants"
      ),
      (
        "SUBJECT a\ntest \"x\"\n  serve a { Just(1) }", "3:9: a is a subject in the file; give"
      ),
      ("test \"x\"\n test \"y\"", "2:2: a test must begin at the start of its line"),
      ("test \"x\"\n  serve a 1", "2:3: write a row that replaces workers as serve"),
      ("test \"x\"\n  serve a { $0 }", "2:13: expected a publisher, found a value"),
      ("test \"x\"\n  serve a { Jst(1) }", "2:13: there is no source \"Jst\"; did you mean"),
      ("test \"x\"\n  serve a { Just(1", "2:17: \"(\" has no matching \")\""),
      ("test \"x\"\n  serve a { b }", "2:13: there is no subject or pipeline \"b\""),
      (
        "test \"x\"\n  serve a { Just(1) }\n  serve a { Just(2) }",
        "3:9: duplicate row; the first one is in line 2"
      ),
      ("test \"x\"\n  serve a { Just(1) }\n  a ! 2", "3:3: a is a service; its second row must"),
    ]
  )
  func messages(_ text: String, _ message: String) throws {
    let found = try errors(text)
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix(message) ?? false, "\(found)")
  }

  @Test("includes are relative to their file, read once, and not in circles")
  func includes() throws {
    let others = [
      "parts/a.flow": "include ../b.flow\ninclude ./c.flow\nPIPELINE a = b",
      "b.flow": "SUBJECT b", "parts/c.flow": "SUBJECT c",
    ]
    let result = try definitions("include parts/a.flow\ninclude b.flow\nPIPELINE d = c", others)
    #expect(result.errors.isEmpty)
    #expect(result.all.map(\.name) == ["b", "c", "a", "d"])
    #expect(
      result.script.files.map(\.name) == ["shop.flow", "parts/a.flow", "b.flow", "parts/c.flow"]
    )

    let circle = try definitions("include a.flow", ["a.flow": "SUBJECT x\ninclude shop.flow"])
    #expect(
      circle.errors.map(\.headline)
        == ["a.flow:2:1: error: the files include one another: shop.flow → a.flow → shop.flow"]
    )
    let chain = Dictionary(
      uniqueKeysWithValues: (0..<20).map { ("\($0).flow", "include \($0 + 1).flow") }
    )
    let deep = try definitions("include 0.flow", chain)
    #expect(deep.errors.map(\.message) == ["include is nested more than 16 deep"])
  }

  @Test("a file is the same by whatever path, and its mark of encoding is none of its text")
  func paths() throws {
    var reads: [String] = []
    let script = Script(["./parts/../shop.flow", "shop.flow", "./a.flow"]) { path in
      reads.append(path)
      return path == "shop.flow" ? "\u{FEFF}include ./a.flow\r\nSUBJECT b\r\n" : "SUBJECT a"
    }
    #expect(reads == ["shop.flow", "a.flow"])
    let result = Definitions(script)
    #expect(result.errors.isEmpty && result.all.map(\.name) == ["a", "b"])
  }

  @Test("errors come as they are met: of what is included before what relies on it")
  func order() throws {
    let others = ["names.flow": "SUBJECT a\nSUBJCT b", "more.flow": ".map { $0 }"]
    let text = "include names.flow\ninclude more.flow\nPIPELINE c = b\nPIPELINE d = e"
    let found = try definitions(text, others).errors.map { "\($0.place.file):\($0.place.line)" }
    #expect(found == ["names.flow:2", "shop.flow:4", "more.flow:1"])
  }

  @Test(
    "an unknown command is quoted by its first word, so that an include shows no secret",
    arguments: [
      ("root:$6$salt$hash:19000:0:99999:7:::", "root…", "root…"),
      ("  root: $6$salt", "root…", "  root…"), ("$6$salt$hash", "…", "$…"),
      ("MIIEpAIBAAKCAQEAsecretsecret", "MIIEpAIBAAKCAQEAsecr…", "MIIEpAIBAAKCAQEAsecr…"),
      ("key hash", "key", "key…"), ("SUBJCT taps", "SUBJCT", "SUBJCT…"), ("word", "word", "word"),
    ]
  )
  func secrets(_ line: String, _ word: String, _ shown: String) throws {
    let errors = try definitions("include shadow", ["shadow": line]).errors
    #expect(errors.count == 1)
    let error = try #require(errors.first)
    #expect(error.message.hasPrefix("unknown command \"\(word)\"; "), "\(error.message)")
    #expect(error.line == shown)
    #expect(!error.report.contains("hash"), "\(error.report)")
  }

  @Test("what a missing file may define is not blamed, all else is")
  func incomplete() throws {
    let text = """
      include gone.flow
      PIPELINE a = b.map { $0 }
      RUN r = a.assign(to: c)
      test "x"
        d 1
      PIPELINE e = b.fliter { $0 }
      """
    let found = try definitions(text).errors.map { "\($0.place.line):\($0.place.column)" }
    #expect(found == ["1:1", "6:16"])
  }

  @Test("a bracket that is not closed does not swallow what follows")
  func recovers() throws {
    let result = try definitions("SUBJECT a\nPIPELINE b = a.map { $0\nSUBJECT c\nPIPELINE d = c")
    #expect(result.errors.count == 1)
    #expect(result["c"] != nil && result["d"]?.pipeline != nil)
  }
}
