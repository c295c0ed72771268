import FlowRemote
import Programs
import Testing

@testable import flowclient

@Suite("command line")
struct ArgumentTests {
  private func parse(_ line: String) throws(ClientError) -> Invocation {
    let words = line.split(separator: " ").map(String.init)
    return try ArgumentParser.parse(words)
  }

  @Test("no command is a conversation with the usual server")
  func nothing() throws {
    let invocation = try parse("")
    #expect(invocation.command is ConverseRequest)
    #expect(invocation.server == "127.0.0.1:3569" && !invocation.namesServer)
    #expect(invocation.output == nil)
  }

  private static let requests: [(String, any ClientCommand)] = [
    ("send orders", SendRequest(name: "orders")),
    ("send orders 1 -5", SendRequest(name: "orders", values: ["1", "-5"])),
    ("send orders -- -x --y", SendRequest(name: "orders", values: ["-x", "--y"])),
    ("sub orders", SubscribeRequest(expression: "orders")),
    ("SUB orders", SubscribeRequest(expression: "orders")),
    (
      "sub orders --durable billing --demand 16384",
      SubscribeRequest(expression: "orders", window: .upTo(16_384), durable: "billing")
    ),
    ("sub orders 3", SubscribeRequest(expression: "orders", count: 3)),
    ("take orders 3", SubscribeRequest(expression: "orders", count: 3)),
    ("sub orders max", SubscribeRequest(expression: "orders", window: .unlimited)),
    (
      "sub orders.filter { $0 > 3 }",
      SubscribeRequest(expression: "orders.filter { $0 > 3 }")
    ),
    ("list", LineRequest(line: "LIST")),
    ("Subject orders flow=slowest", LineRequest(line: "SUBJECT orders flow=slowest")),
    ("stats orders", StatsRequest(name: "orders")),
    ("stats -o prometheus", StatsRequest(form: .prometheus)),
    ("-o json stats a/**", StatsRequest(name: "a/**", form: .json)),
    (
      "send orders --count 3 --rate 2k/s {n}",
      SendRequest(name: "orders", values: ["{n}"], count: 3, rate: 2000)
    ),
    (
      "send orders --format json --timeout 1s",
      SendRequest(name: "orders", form: .json, timeout: .seconds(1))
    ),
    (
      "send orders --file a --file - --chunks 4KiB --end --fail-on-miss",
      SendRequest(
        name: "orders",
        files: ["a", "-"],
        chunk: 4096,
        endsSubject: true,
        failsOnMiss: true
      )
    ),
    ("lint a.flow -o json", LintRequest(files: ["a.flow"], form: .json)),
    (
      "-o json lint a.flow --format github",
      LintRequest(files: ["a.flow"], form: .github)
    ),
    ("completion names subject", CompletionRequest.names(.subject)),
    ("check", CheckRequest()),
    (
      "check totals --warn 50ms --timeout 2s",
      CheckRequest(name: "totals", patience: .milliseconds(50), timeout: .seconds(2))
    ),
    ("version", VersionRequest()),
    ("--version", VersionRequest()),
    ("--help", HelpRequest.page(nil)),
    ("sub --help", HelpRequest.page("sub")),
    ("help", HelpRequest.page(nil)),
    ("help sub", HelpRequest.page("sub")),
    ("HELP Sub", HelpRequest.page("sub")),
    ("help help", HelpRequest.page("help")),
    ("help environment", HelpRequest.page("environment")),
    ("help Exit-codes", HelpRequest.page("exit-codes")),
    ("help backpressure", HelpRequest.word(LineRequest(line: "HELP backpressure"))),
    ("help flatMap", HelpRequest.word(LineRequest(line: "HELP flatMap"))),
    ("help take", HelpRequest.word(LineRequest(line: "HELP take"))),
  ]

  @Test("the command and its operands become a request", arguments: requests)
  func command(_ line: String, _ expected: any ClientCommand) throws {
    let command = try parse(line).command
    let isSame = Self.isSame(command, expected)
    #expect(isSame, "\(command)")
  }

  private static func isSame<Command: ClientCommand>(
    _ command: Command,
    _ other: any ClientCommand
  ) -> Bool {
    command == other as? Command
  }

  @Test("options may stand before and after the command, long, short, joined and apart")
  func options() throws {
    let expected = SubscribeRequest(
      expression: "orders",
      count: 3,
      window: .upTo(10),
      delay: .milliseconds(250),
      length: .seconds(5),
      timeout: .seconds(120)
    )
    let lines = [
      "-qv -s :99 sub orders -n 3 --demand 10 --delay 250ms --for 5s --timeout 2m -o json --trace "
        + "--token-file t",
      "-n3 --demand=10 --delay=0.25s --for=5s --timeout=2m sub -q -v -s:99 -ojson --trace orders "
        + "--token-file=t",
    ]
    for line in lines {
      let result = try parse(line)
      #expect(result.command as? SubscribeRequest == expected)
      #expect(result.server == ":99")
      #expect(result.tokenFile == "t")
      #expect(result.output == "json")
      #expect(result.isQuiet && result.isVerbose && result.traces)
    }
  }

  @Test(
    "a server without a port has the usual one",
    arguments: [
      ("host", "host:3569"), ("host:99", "host:99"),
      ("[::1]", "[::1]:3569"), ("[::1]:5", "[::1]:5"),
      ("10.0.0.7", "10.0.0.7:3569"), (":99", ":99"), ("unix:/tmp/x", "unix:/tmp/x"),
    ]
  )
  func server(_ text: String, _ address: String) throws {
    #expect(try parse("-s \(text) list").server == address)
    #expect(try ArgumentParser.parse(["list"], server: text).server == address)
    let explain = try ArgumentParser.parse(["explain", "taps"], server: text)
    #expect(explain.server == address)
    #expect(explain.namesServer)
    let both = ["-s", ":1", "list"]
    #expect(try ArgumentParser.parse(both, server: text).server == ":1")
  }

  @Test("FLOW_SERVER is refused by its name")
  func environment() {
    let error = #expect(throws: ClientError.self) {
      try ArgumentParser.parse(["list"], server: "http://x/")
    }
    let message = "FLOW_SERVER is \"http://x/\", expected HOST, HOST:PORT or unix:PATH"
    #expect(error == ClientError(.usage, message, advice: "as in: flowclient -s x list"))
    for words in [["lint", "x.flow"], ["--help"], ["version"], ["-s", ":1", "list"]] {
      #expect(throws: Never.self) {
        try ArgumentParser.parse(words, server: "http://x/")
      }
    }
  }

  @Test(
    "who does not answer is to be started where it was asked for",
    arguments: [
      ("127.0.0.1:3569", "start one: FlowServer demo"),
      ("127.0.0.1:99", "start one: FlowServer --listen 127.0.0.1:99"),
      ("unix:/tmp/x", "start one: FlowServer --listen unix:/tmp/x"),
      ("host:99", "is a FlowServer running there, with --listen 0.0.0.0:99?"),
    ]
  )
  func advice(_ server: String, _ advice: String) {
    #expect(ServerPlace.advice(unreachable: server) == advice)
  }

  private static let name =
    "a name: a letter or \"_\", then letters, digits, \"_\" or \"-\", at most 128 in all"

  @Test(
    "refuses what is wrong and says what is right",
    arguments: [
      ("--demnd 3 sub x", "unknown option \"--demnd\"; did you mean \"--demand\"?"),
      ("--six 3", "unknown option \"--six\""),
      ("sub x -c 3", "unknown option \"-c\"; did you mean \"-n N\"?"),
      ("sub x --limit=3", "unknown option \"--limit\"; did you mean \"-n N\"?"),
      ("sub x --count 3", "--count is for send, not for \"sub\"; did you mean \"-n 3\"?"),
      ("-p 4000 list", "unknown option \"-p\"; did you mean \"-s HOST:PORT\"?"),
      ("--port 4000 list", "unknown option \"--port\"; did you mean \"-s HOST:PORT\"?"),
      ("-h 127.0.0.1 list", "-h prints help; did you mean \"-s 127.0.0.1\"?"),
      (
        "sub x -o csv",
        "-o is \"csv\", expected one of text, raw, json; did you mean --format csv?"
      ),
      (
        "sub x --format json",
        "--format is \"json\", expected csv, ndjson or template TEXT; did you mean -o json?"
      ),
      (
        "sub x --delay 200",
        "--delay is \"200\", expected a time with its unit, such as 250ms, 5s, 2m or 1h"
      ),
      ("-z", "unknown option \"-z\""),
      ("sub", "sub needs an EXPR"),
      ("send", "send needs a NAME"),
      ("send x --count 3", "--count needs exactly one VALUE, but there are 0"),
      ("send x --count 3 1 2", "--count needs exactly one VALUE, but there are 2"),
      ("send x --count 0 1", "--count is \"0\", expected a positive integer"),
      ("send x --rate fast", "--rate is \"fast\", expected a rate such as 500/s or 50k/s"),
      ("send x --format json 1", "--format json is for values from standard input"),
      (
        "send x --format github",
        "--format is \"github\", expected one of text, raw, csv, ndjson, json"
      ),
      ("send x -0 1", "-0 is for values from standard input"),
      (
        "send x -0 --format csv",
        "-0 cannot be combined with --format csv, which is read line by line"
      ),
      ("send x -0 --file y", "-0 is for standard input, not for --file or --chunks"),
      ("sub x --format github", "--format is \"github\", expected csv, ndjson or template TEXT"),
      ("sub x --format template", "--format template needs a text"),
      ("sub --format template x", "sub needs an EXPR"),
      (
        "sub x --format template {a",
        "the template is \"{a\", in which {a has no end; {{ is a brace"
      ),
      ("sub x -o raw --format csv", "-o and --format cannot be combined"),
      ("sub x -0 --format csv", "-0 cannot be combined with --format csv, whose records are lines"),
      ("list -0", "-0 is for send and sub and tap, not for \"list\""),
      ("check a b", "check takes at most one NAME"),
      ("stats a b", "stats takes at most one NAME or PATTERN"),
      ("stats x -o csv", "-o is \"csv\", expected one of text, prometheus, json"),
      ("sub x -n 0", "-n is \"0\", expected a positive integer"),
      ("sub x --demand lots", "--demand is \"lots\", expected a positive integer or max"),
      (
        "sub x --delay soon",
        "--delay is \"soon\", expected a time with its unit, such as 250ms, 5s, 2m or 1h"
      ),
      ("sub x --durable 1x", "--durable is \"1x\", expected \(Self.name)"),
      ("sub x --durable y --demand max", "--durable needs a --demand of 1 to 16384"),
      ("sub x --durable y --demand 16385", "--durable needs a --demand of 1 to 16384"),
      ("sub x --delay", "--delay needs a value: --delay TIME"),
      ("-o xml list", "-o is \"xml\", expected one of text, json"),
      ("-o xml sub x", "-o is \"xml\", expected one of text, raw, json"),
      ("-o csv bench", "bench needs one of pub, sub, e2e, fanout"),
      ("-o raw bench pub", "-o is \"raw\", expected one of text, json, csv"),
      ("send x -o raw", "-o is \"raw\", expected one of text, json; did you mean --format raw?"),
      ("send x 1 --file y", "--file is given, and so is a VALUE; the values come from one of them"),
      (
        "send x 1 --chunks 8",
        "--chunks is given, and so is a VALUE; the values come from one of them"
      ),
      (
        "send x --file y --format json",
        "--format json is for standard input, not for --file or --chunks"
      ),
      ("send x --chunks 0", "--chunks is \"0\", expected a size such as 128 or 4k"),
      ("-s host:abc list", "-s is \"host:abc\", expected HOST, HOST:PORT or unix:PATH"),
      ("-s http://a:1/x list", "-s is \"http://a:1/x\", expected HOST, HOST:PORT or unix:PATH"),
      ("--server= list", "--server is \"\", expected HOST, HOST:PORT or unix:PATH"),
      ("list --delay 5s", "--delay is for sub and bench, not for \"list\""),
      ("--quiet=yes list", "--quiet takes no value, but was given \"yes\""),
      ("sub x --manual --demand 3", "--manual cannot be combined with -n, --demand or --delay"),
      ("pipelin x", "unknown command \"pipelin\"; did you mean \"pipeline\"?"),
      ("subscribe x", "unknown command \"subscribe\"; did you mean \"sub\"?"),
      ("publish x 1", "unknown command \"publish\"; did you mean \"send\"?"),
      ("sub users buys", "sub takes one EXPR, in quotes; there are 2 words"),
      ("sub users buys 5", "sub takes one EXPR, in quotes; there are 2 words"),
      ("sub a.map {", "sub takes one EXPR, in quotes; there are 2 words"),
      ("feed x", "feed is for netcat"),
      ("take x", "take needs a number of values"),
      ("serve", "serve needs a NAME"), ("serve -- cat", "serve needs a NAME"),
      ("serve x", "serve needs a NAME, then -- and the command that answers"),
      ("serve x --", "serve needs a NAME, then -- and the command that answers"),
      ("serve x y -- cat", "serve needs a NAME, then -- and the command that answers"),
      ("serve x -j 0 -- cat", "-j is \"0\", expected a positive integer"),
    ]
  )
  func refusal(_ line: String, _ message: String) {
    let error = #expect(throws: ClientError.self) { try parse(line) }
    #expect(error?.message == message)
    #expect(error?.exit == .usage)
  }

  @Test("the text behind --format template is a word of its own, wherever it stands")
  func template() throws {
    let template = try ValueTemplate("{id}:{n}")
    for line in [
      "sub x --format template {id}:{n}", "sub --format template {id}:{n} x",
      "--format template {id}:{n} sub x", "sub x --format=template={id}:{n}",
      "sub x --format template -q {id}:{n}", "-q sub --format template {id}:{n} x",
    ] {
      let expected = SubscribeRequest(expression: "x", form: .template(template))
      #expect(try parse(line).command as? SubscribeRequest == expected, "\(line)")
    }
    let csv = SubscribeRequest(expression: "x", form: .csv)
    #expect(try parse("sub x --format csv").command as? SubscribeRequest == csv)
    let tap = try parse("tap x --format ndjson -0").command as? SubscribeRequest
    #expect(tap?.form == .ndjson && tap?.endsWithNull == true)
  }

  @Test("-0 is an option, and other numbers below zero are not")
  func null() throws {
    let request = SendRequest(name: "x", form: .raw, endsWithNull: true)
    #expect(try parse("send x -0 --format raw").command as? SendRequest == request)
    for (line, value) in [("send x -05", "-05"), ("send x -- -0", "-0")] {
      let request = SendRequest(name: "x", values: [value])
      #expect(try parse(line).command as? SendRequest == request)
    }
  }

  @Test("what is behind -- is the command of serve, as it stands")
  func serve() throws {
    let expected = ServeRequest(name: "x", jobs: 3, command: ["sh", "-c", "-n", "{}", "--"])
    #expect(try parse("serve x --jobs 3 -- sh -c -n {} --").command as? ServeRequest == expected)
    let usual = ServeRequest(name: "x", command: ["cat"])
    #expect(try parse("-q serve x -- cat").command as? ServeRequest == usual)
  }

  @Test("the lines of an expression are joined; any other command is one line")
  func lineBreak() throws {
    let text = "x\n  .map {\r\n    $0 + 1\n  }\n"
    let joined = "x.map { $0 + 1 }"
    let sub = try ArgumentParser.parse(["sub", text]).command
    #expect((sub as? SubscribeRequest)?.expression == joined)
    let explain = try ArgumentParser.parse(["explain", text]).command
    #expect(explain as? ExplainRequest == .text(.expression(joined)))
    let pipeline = try ArgumentParser.parse(["pipeline", "y =\n\(text)"]).command
    #expect((pipeline as? LineRequest)?.line == "PIPELINE y = \(joined)")
    #expect(throws: ClientError.self) {
      try ArgumentParser.parse(["ping", "a\nb"])
    }
  }

  @Test(
    "says that the shell has replaced $0",
    arguments: [
      ("orders.filter { bash > 1 }", "bash"), ("orders.map { -zsh.price }", "-zsh"),
      ("orders.map { /bin/sh.price }", "/bin/sh"), ("orders.map { ./run.sh * 2 }", "./run.sh"),
    ]
  )
  func shell(_ expression: String, _ word: String) {
    let error = RemoteError.refused(code: "syntax", text: "21: there is no value")
    let advice = ClientError(error, in: expression).advice ?? ""
    #expect(advice.contains("the shell has put \"\(word)\" in place of $0"), "\(advice)")
    #expect(ShellWord.advice(on: "orders.map { $0.bash }") == nil)
    #expect(ShellWord.advice(on: "orders.map { brash }") == nil)
  }
}

@Suite("tables")
struct TableTests {
  @Test("an option is written the same way in all commands that have it")
  func options() {
    for verb in VerbTable.all {
      for option in verb.options {
        let row = OptionTable.all.first { $0.name == option.name }
        #expect(row?.spelling == option.spelling, "\(verb.name)")
        #expect(!OptionTable.generalEntries.contains { $0.name == option.name }, "\(verb.name)")
      }
    }
    let letters = OptionTable.all.compactMap(\.short)
    #expect(Set(letters).count == letters.count)
  }

  @Test("help shows every command on a line of its group, within two screens")
  func help() {
    let lines = HelpText.all().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 61, "two screens of 30 rows, and the line end")
    for verb in VerbTable.all {
      let rows = lines.indices.filter { lines[$0].hasPrefix("  \(verb.name) ") }
      let row = rows.first.map { String(lines[$0]) } ?? ""
      #expect(row.hasSuffix("  \(verb.summary)"), "\(verb.name)")
      let title = rows.first.flatMap { lines[..<$0].last { $0.hasSuffix(":") } }
      #expect(title == "\(verb.group.rawValue):")
    }
    for option in OptionTable.generalEntries {
      #expect(lines.contains { $0.hasPrefix("  \(option.spelling)  ") }, "\(option.name)")
    }
  }

  @Test("help of a command shows all its options, help of a topic its rows")
  func pages() {
    for verb in VerbTable.all {
      let own = HelpText.page(verb.name, asJSON: false)
      for option in verb.allOptions { #expect(own.contains(option.spelling)) }
    }
    let codes = HelpText.page("exit-codes", asJSON: false)
    for code in ExitCode.allCases { #expect(codes.contains("  \(code.rawValue) ")) }
    let variables = HelpText.page("environment", asJSON: false)
    for name in ClientVariable.allCases.map(\.rawValue) {
      #expect(variables.contains("  \(name) "))
    }
    #expect(
      HelpText.page("exit-codes", asJSON: true).hasPrefix(#"{"code":"0","meaning":"done"}"# + "\n")
    )
  }

  @Test("help has lines of 80 columns at most")
  func columns() {
    let pages = [HelpText.all()] + VerbTable.all.map(HelpText.verb)
    for text in pages + ClientTopic.allCases.map(HelpText.topic) {
      for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
    let wide = helpLines([("-a", "one two"), (String(repeating: "x", count: 29), "three")])
    #expect(wide == ["  -a  one two", "  \(String(repeating: "x", count: 29))", "      three"])
    let long = helpLines([("-a", String(repeating: "word ", count: 16))])
    #expect(long == ["  -a  " + String(repeating: "word ", count: 14) + "word", "      word"])
  }

  @Test("of a command that the protocol has, too, the help says where that is told")
  func ofProtocol() throws {
    let sub = HelpText.verb(try #require(VerbTable.entry("sub")))
    #expect(sub.hasSuffix("\nAbout SUB of the protocol: echo HELP SUB | flowclient\n"))
    #expect(!HelpText.verb(try #require(VerbTable.entry("lint"))).contains("protocol"))
  }

  @Test("help of a command tells of its own options, and of none of others")
  func ownOptions() throws {
    let send = HelpText.verb(try #require(VerbTable.entry("send")))
    #expect(send.contains("--format FORM") && !send.contains("github"))
    let lint = HelpText.verb(try #require(VerbTable.entry("lint")))
    #expect(lint.contains("text, github (annotations) or json") && !lint.contains("sub -o json"))
    #expect(lint.contains("-o, --output FORM") && lint.contains("text or json (an object a line)"))
    let names = VerbTable.all.filter { $0.name != "top" }.map { HelpText.verb($0) }
    #expect(!names.contains { $0.contains("top:") || $0.contains("bench:") })
  }

  @Test("every command can print JSON")
  func json() {
    for verb in VerbTable.all { #expect(verb.forms.contains("json"), "\(verb.name)") }
  }

  @Test("every example is accepted")
  func examples() throws {
    for verb in VerbTable.all {
      #expect(!verb.examples.isEmpty)
      for example in verb.examples {
        let words = shellWords(example)
        let start = try #require(words.firstIndex(of: "flowclient"))
        let arguments = Array(words[(start + 1)...])
        #expect(throws: Never.self, "\(example)") {
          try ArgumentParser.parse(arguments)
        }
      }
    }
  }

  /// Splits at blanks outside of single quotes.
  private func shellWords(_ line: String) -> [String] {
    line.split(separator: "'", omittingEmptySubsequences: false).enumerated()
      .flatMap { index, part in
        index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
      }
  }
}

@Suite("time on the command line")
struct DurationTextTests {
  @Test(
    "reads a number and its unit",
    arguments: [
      ("250ms", Duration.milliseconds(250)), ("5s", .seconds(5)), ("1.5m", .seconds(90)),
      ("2h", .seconds(7200)), ("0.25s", .milliseconds(250)), ("10us", .microseconds(10)),
    ]
  )
  func reads(_ text: String, _ time: Duration) {
    #expect(Duration(text: text) == time)
    #expect(time.inNanoseconds > 0)
  }

  @Test(
    "refuses the rest",
    arguments: ["", "s", "3", "0.25", "-5s", "5d", "1.2.3s", "5 s", "1e9s", "9999999999h"]
  )
  func refuses(_ text: String) {
    #expect(Duration(text: text) == nil)
  }
}

@Suite("names on the command line")
struct NameArgumentTests {
  @Test(
    "no name with a blank in it goes into a line of the protocol",
    arguments: [
      ["send", "a b", "c"], ["send", "a owner=yes"], ["serve", "a as=7", "--", "cat"],
      ["check", "a b"], ["top", "a b"], ["show", "a b"], ["DELETE", "a durable=x"],
    ]
  )
  func refused(_ words: [String]) {
    let error = #expect(throws: ClientError.self) {
      try ArgumentParser.parse(words)
    }
    #expect(error?.exit == .usage)
    #expect(error?.message.hasPrefix("NAME is \"\(words[1])\", expected a name: ") == true)
  }
}

@Suite("errors of the server")
struct RemoteErrorTests {
  @Test("a mistake in an expression is shown in its place")
  func caret() {
    let error = RemoteError.refused(code: "syntax", text: "12: there is no operator \"fliter\"")
    let shown = ClientError(error, in: "orders.fliter { $0 }")
    #expect(shown.exit == .no)
    #expect(shown.message == "there is no operator \"fliter\"")
    #expect(shown.advice == "  orders.fliter { $0 }\n         ^^^^^^")
    let text = "5: there is no subject or pipeline \"nosuch\"; LIST lists the names"
    let unknown = ClientError(.refused(code: "syntax", text: text), in: "nosuch.map { $0 }")
    #expect(unknown.message.hasSuffix("\"nosuch\"; flowclient list lists the names"))
    #expect(unknown.advice == "  nosuch.map { $0 }\n  ^^^^^^")
    let elsewhere = RemoteError.refused(code: "syntax", text: "99: what")
    #expect(ClientError(elsewhere, in: "x").message == "syntax 99: what")
    let name = RemoteError.refused(code: "unknown-name", text: "x; LIST lists the names")
    #expect(ClientError(name).message == "unknown-name x; flowclient list lists the names")
    let usage = RemoteError.refused(code: "usage", text: "name is missing")
    #expect(ClientError(usage).message == "usage: name is missing")
  }

  @Test(
    "codes become exits",
    arguments: [
      (RemoteError.refused(code: "unknown-name", text: ""), ExitCode.no),
      (.lost("reset"), .unreachable), (.goodbye(code: "shutdown", text: ""), .unreachable),
      (.goodbye(code: "framing", text: ""), .protocolBroken),
      (.protocolBroken("x"), .protocolBroken),
      (.refused(code: "denied", text: ""), .refused),
      (.refused(code: "limit", text: ""), .tryLater),
      (.failed(code: "stage", text: ""), .no),
    ]
  )
  func exits(_ error: RemoteError, _ exit: ExitCode) {
    #expect(ClientError(error).exit == exit)
  }
}
