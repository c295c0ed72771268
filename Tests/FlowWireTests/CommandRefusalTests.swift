import FlowTestSupport
import FlowWire
import Testing

@Suite("Command refusals")
struct CommandRefusalTests {
  @Test(
    "says what is wrong with a field",
    arguments: [
      ("REQ", "name or id is missing"),
      ("REQ 1", "count is missing"),
      ("REQ 1 x", "count is \"x\", expected a number or max"),
      ("REQ 1 -", "count is \"-\", expected a number or max"),
      ("REQ 1 +1", "count is \"+1\", expected a number or max"),
      ("REQ 1 1.5", "count is \"1.5\", expected a number or max"),
      ("REQ 1x 1", "id is \"1x\", expected a number up to 9007199254740992"),
      ("REQ 9007199254740993 1", "id is \"9007199254740993\", expected a number up to"),
      (
        "REQ 5.x 1",
        "id is \"5.x\", expected a number up to 9007199254740992, or two for a call, such as 5.17"
      ),
      ("REQ 5. 1", "id is \"5.\", expected a number"),
      ("REQ 5.0 1", "id is \"5.0\", expected a number"),
      ("REQ 5.1.2 1", "id is \"5.1.2\", expected a number"),
      ("DONE 5.9007199254740993", "id is \"5.9007199254740993\", expected a number"),
      ("SUB a as=5.1", "as is \"5.1\", expected a number from 1"),
      ("WATCH 5", "name is \"5\", expected a name"),
      ("WATCH a b", "unexpected argument \"b\""),
      ("WATCH stream=1.2", "stream is given without the name that it runs"),
      ("WATCH a stream=1", "stream is \"1\", expected a client and its stream, such as 7.1"),
      ("WATCH a stream=1.2.3", "stream is \"1.2.3\", expected"),
      ("WATCH known=-1", "known is \"-1\", expected a number"),
      ("WATCH a filte=x", "unknown option \"filte\"; did you mean filter?"),
      ("SERVE", "name is missing"),
      ("SERVE 5", "name is \"5\", expected a name"),
      ("SERVE a x", "demand is \"x\", expected a number or max"),
      ("SERVE a 1 2", "unexpected argument \"2\""),
      ("SERVE a grant=2", "unknown option \"grant\""),
      ("REQ a.b 1", "name or id is \"a.b\", expected the number of a stream, or a name: a letter"),
      ("REQ 1 2 3", "unexpected argument \"3\""),
      ("CANCEL", "name or id is missing"),
      ("CANCEL 1 2", "unexpected argument \"2\""),
      ("HELLO", "version is missing"),
      ("HELLO 1 fast", "unexpected argument \"fast\""),
      ("HELLO 1 ping=10", "ping is \"10\", expected a time such as 250ms, 5s or 2m"),
      ("HELLO 1 ping=0s", "ping is \"0s\", expected a time"),
      ("HELLO 1 ping=s", "ping is \"s\", expected a time"),
      ("HELLO 1 pin=10s", "unknown option \"pin\"; did you mean ping?"),
      ("HELLO 1 color=red", "unknown option \"color\"; expected ping, name"),
      ("HELLO 1 name=a name=b", "name is given twice"),
      ("HELLO 1 name=", "name is \"\", expected one word that identifies the client"),
      ("HELLO 1 =a", "unexpected argument \"=a\""),
      ("HELP a b", "unexpected argument \"b\""),
      ("QUIT later", "the word is \"later\", expected now or nothing"),
      ("QUIT now now", "unexpected argument \"now\""),
      ("SUBJECT", "name is missing"),
      ("SUBJECT 1a", "name is \"1a\", expected a name: a letter or \"_\", then letters, digits"),
      ("SUBJECT é", "name is \"é\", expected a name"),
      ("SUBJECT a//b", "name is \"a//b\", expected a name without empty levels, such as a/b"),
      ("SUBJECT /a", "name is \"/a\", expected a name without empty levels, such as a"),
      ("SUBJECT a/", "name is \"a/\", expected a name without empty levels, such as a"),
      ("SUBJECT a/-b", "name is \"a/-b\", expected a name: a letter"),
      ("SUBJECT a/$b", "name is \"a/$b\", expected a name: a letter"),
      ("SEND a/* 1", "name is \"a/*\", expected one name; SUB, LIST and STATS take patterns"),
      ("DONE a/**", "name or id is \"a/**\", expected the number of a stream, or one name; SUB"),
      ("FAIL a too/hot", "code is \"too/hot\", expected a word like too-hot"),
      ("SUB a durable=b/c", "durable is \"b/c\", expected a name: a letter"),
      ("LIST subjects a//b", "name is \"a//b\", expected a name without empty levels"),
      ("STATS a//*", "name is \"a//*\", expected a name: a letter"),
      ("SUBJECT a b", "kind is \"b\", expected passthrough, current or replay; the form"),
      ("SUBJECT a b=1 c", "unexpected argument \"c\""),
      ("SUBJECT a replay=10", "unknown option \"replay\"; did you mean \"replay 10\"?"),
      ("SUBJECT a flow=free current=5", "unknown option \"current\"; did you mean \"current 5\"?"),
      (
        "SUBJECT a room 10",
        "kind is \"room\", expected passthrough, current or replay; did you mean \"room=10\"?"
      ),
      (
        "SUBJECT a slowest",
        "kind is \"slowest\", expected passthrough, current or replay; did you mean flow=slowest?"
      ),
      (
        "SUBJECT a nats",
        "kind is \"nats\", expected passthrough, current or replay; did you mean on=nats?"
      ),
      (
        "SUBJECT a 10",
        "kind is \"10\", expected passthrough, current or replay; did you mean \"replay 10\"?"
      ),
      ("SUBJECT a replay 3 flow slowest", "flow needs a value; did you mean \"flow=slowest\"?"),
      ("SUB a 1 as 5", "as needs a value; did you mean \"as=5\"?"),
      ("SUB a 1 window", "window needs a value; did you mean \"window=…\"?"),
      ("SUBJECT a current", "the value is missing"),
      ("SUBJECT a current 5 6", "unexpected argument \"6\""),
      ("SUBJECT a replay", "count is missing"),
      ("SUBJECT a replay 0", "count is \"0\", expected a number from 1"),
      ("SUBJECT a replay many", "count is \"many\", expected a number from 1"),
      ("SUBJECT a flow=fast", "flow is \"fast\", expected free or slowest"),
      ("SUBJECT a stall=1h", "stall is \"1h\", expected a time such as 250ms, 5s or 2m"),
      ("SUBJECT a rate=5/s", "rate needs flow=slowest"),
      (
        "SUBJECT a flow=slowest rate=5",
        "rate is \"5\", expected a number of values such as 10/s, from 1/s to 1000000000/s"
      ),
      (
        "SUBJECT a flow=slowest rate=0/s",
        "rate is \"0/s\", expected a number of values such as 10/s, from 1/s to 1000000000/s"
      ),
      ("PIPELINE", "name is missing"),
      ("PIPELINE = a", "name is missing"),
      ("PIPELINE x", "\"=\" is missing after the name"),
      ("PIPELINE x a", "\"=\" is missing after the name"),
      ("PIPELINE x =  ", "the pipeline is missing after \"=\""),
      ("SUBJECT a on=nats room=5", "room needs flow=slowest"),
      ("SUBJECT a room=5 flow=slowest", "room needs on=nats"),
      ("SUBJECT a storage=memory", "storage needs on=nats"),
      ("PIPELINE x restart=1s = a", "unknown option \"restart\"; PIPELINE takes no options"),
      ("RUN x restart = a", "\"=\" is missing after the name"),
      ("RUN x restart=1s a", "\"=\" is missing after the name"),
      ("RUN x restat=1s = a", "unknown option \"restat\"; did you mean restart?"),
      ("RUN x restart=1s restart=2s = a", "restart is given twice"),
      ("RUN x restart=soon = a", "restart is \"soon\", expected a time such as 250ms, 5s or 2m"),
      ("RUN x restart=9ms = a", "restart is \"9ms\", expected a time from 10ms to 60m"),
      ("RUN x restart=61m = a", "restart is \"3660s\", expected a time from 10ms to 60m"),
      (
        "RUN x restart=99999999999999999999m = a",
        "restart is \"9223372036854ms\", expected a time from 10ms to 60m"
      ),
      ("RUN x restart= = a", "restart is \"\", expected a time such as 250ms, 5s or 2m"),
      ("DELETE", "name is missing"),
      (
        "LIST 1a",
        "kind or name is \"1a\", expected a name: a letter"
      ),
      (
        "LIST subject",
        "kind is \"subject\", expected subjects, pipelines, runs, services, streams or clients; "
          + "did you mean subjects?"
      ),
      ("SHOW", "name is missing"),
      ("SEND", "name is missing"),
      ("SEND orders", "the value is missing; for an empty value, add a space after the name"),
      ("SEND or.ders 5", "name is \"or.ders\", expected a name"),
      ("DONE", "name or id is missing"),
      ("FAIL 1", "code is missing"),
      ("FAIL 1 too:hot", "code is \"too:hot\", expected a word like too-hot"),
      ("SUB", "the name or pipeline is missing"),
      ("SUB a ten", "demand is \"ten\", expected a number or max"),
      ("SUB a -1", "demand is \"-1\", expected a number or max"),
      ("SUB a 1 2", "unexpected argument \"2\""),
      ("SUB a as=0", "as is \"0\", expected a number from 1 to 9007199254740992"),
      ("SUB a as=9007199254740993", "as is \"9007199254740993\", expected a number from 1"),
      ("SUB a as=1 10", "unexpected argument \"10\""),
      ("SUB a window=0", "window is \"0\", expected a size such as 64KiB, 1MiB or 5000, from 1"),
      ("SUB a window=5MiB", "window is \"5MiB\", expected a size"),
      ("SUB a window=64kb", "window is \"64kb\", expected a size"),
      ("SUB a windw=5", "unknown option \"windw\"; did you mean window?"),
      ("TAKE a", "count is missing"),
      ("TAKE a 0", "count is \"0\", expected a number from 1"),
      ("TAKE a max", "count is \"max\", expected a number from 1"),
      ("TAKE a 5 within=5", "within is \"5\", expected a time"),
      ("PUB a grant=0", "grant is \"0\", expected a number from 1 to 65536"),
      ("PUB a grant=65537", "grant is \"65537\", expected a number from 1 to 65536"),
      ("PUB a over=wait", "over is \"wait\", expected hold, cancel or drop"),
      ("PUB a owner=maybe", "owner is \"maybe\", expected yes or no"),
      ("PUB a.map { $0 }", "name is \"a.map\", expected a name"),
    ]
  )
  func usage(_ line: String, _ problem: String) throws {
    let error = try refusal(of: line)
    #expect(error.code == .usage)
    #expect(error.message.hasPrefix(problem), "\(error.message)")
    let verb = String(line.prefix { $0 != " " })
    let entry = try #require(CommandTable.entry(named: verb))
    let example = try #require(entry.examples.first)
    #expect(error.message.hasSuffix("; the form is \(entry.form), for example: \(example)"))
  }

  @Test("writes the whole refusal")
  func wholeMessage() throws {
    #expect(
      try refusal(of: "REQ 1 x")
        == WireError(
          .usage,
          "count is \"x\", expected a number or max; "
            + "the form is REQ ID|NAME N|max, for example: REQ 1 8"
        )
    )
  }

  @Test(
    "guesses the command that was meant",
    arguments: [
      ("pipelin x = orders", "unknown command \"pipelin\"; did you mean PIPELINE?"),
      ("SUBB a", "unknown command \"SUBB\"; did you mean SUB?"),
      ("orders 5", "unknown command \"orders\"; HELP lists the commands"),
      ("// orders", "unknown command \"//\"; comments begin with #"),
      ("SNED a 1", "unknown command \"SNED\"; did you mean SEND?"),
      ("PIPELINES x = a", "unknown command \"PIPELINES\"; did you mean PIPELINE?"),
      (
        "\u{1}\u{1B}[2J\u{7F}\u{0}",
        "unknown command \"\\x01\\x1B[2J\\x7F\\x00\"; HELP lists the commands"
      ),
      (
        String(repeating: "é", count: 30) + " x",
        "unknown command \"\(String(repeating: "é", count: 20))…\"; HELP lists the commands"
      ),
    ]
  )
  func unknownCommand(_ line: String, _ message: String) throws {
    #expect(try refusal(of: line) == WireError(.unknownCommand, message))
  }

  @Test(
    "leaves the server's names to be read",
    arguments: [
      "SUBJECT $x", "PIPELINE $x = a", "DELETE $x", "SEND $x 1", "DONE $x", "FAIL $x c", "PUB $x",
    ]
  )
  func reservedNames(_ line: String) throws {
    let expected = WireError(.denied, "$x belongs to the server; it can only be read")
    #expect(try refusal(of: line) == expected)
  }

  @Test(
    "says that a value begins its line",
    arguments: ["@t = 1 x", " = 1 x", "@t : 1 5", "@t =1"]
  )
  func misplacedValue(_ line: String) throws {
    let message = "a value frame must start its line: no tag or space may precede it"
    #expect(try refusal(of: line) == WireError(.usage, message))
  }

  @Test("a name has at most 128 characters")
  func longNames() throws {
    let longest = String(repeating: "n", count: 128)
    #expect(try TaggedCommand("DELETE \(longest)").command == .delete(longest))
    #expect(try refusal(of: "DELETE \(longest)n").code == .usage)
  }

  @Test(
    "refuses a malformed tag",
    arguments: ["@ PING", "@a!b PING", "@\(String(repeating: "t", count: 33)) PING", "@é PING"]
  )
  func malformedTag(_ line: String) {
    let error = #expect(throws: CommandError.self) { try TaggedCommand(line) }
    #expect(error?.tag == nil)
    #expect(error?.error.code == .usage)
    #expect(error?.error.message.hasPrefix("the tag is \"@") == true)
  }

  @Test("the refusal carries the tag", arguments: ["@t7", "@t7 REQ 1 x", "@t7 nonsense"])
  func taggedRefusal(_ line: String) {
    let error = #expect(throws: CommandError.self) { try TaggedCommand(line) }
    #expect(error?.tag == "t7")
  }

  @Test(
    "names the column that is not UTF-8",
    arguments: [
      (Array("SUB é".utf8) + [0xFF] + Array(" 10".utf8), 6),
      ([0x80], 1),
      (Array("@t PING ".utf8) + [0xE2, 0x82], 9),
      (Array("PING ".utf8) + [0xC0, 0x80], 6),
    ] as [([UInt8], Int)]
  )
  func notText(_ line: [UInt8], _ column: Int) {
    let error = #expect(throws: CommandError.self) {
      try line.withUnsafeBytes { try TaggedCommand($0) }
    }
    #expect(
      error?.error
        == WireError(
          .usage,
          "column \(column) is not UTF-8; commands are text, only values may be any bytes"
        )
    )
  }

  @Test("never crashes on any bytes", arguments: 1...10)
  func fuzz(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let pieces =
      Verb.allCases.map(\.rawValue) + [
        " ", " ", " ", "a", "1", "max", "as=1", "@t", "=", ".", "{", "}", "\"", "\\(", ")", "é",
        "99999999999999999999", "5s", "\t", "$", "current", "replay", "stall=99999999999999999m",
      ]
    for _ in 0..<RandomCases.count(1_000) {
      var line: [UInt8] = []
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        line += Array((pieces.randomElement(using: &generator) ?? "").utf8)
        if Int.random(in: 0..<10, using: &generator) == 0 {
          line.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      line.withUnsafeBytes { bytes in
        do throws(CommandError) {
          _ = try TaggedCommand(bytes)
        } catch {
          #expect(!error.error.message.utf8.contains { $0 < 0x20 })
        }
      }
    }
  }
}

/// The error that a line is refused with.
private func refusal(of line: String) throws -> WireError {
  let error = #expect(throws: CommandError.self) { try TaggedCommand(line) }
  return try #require(error).error
}
