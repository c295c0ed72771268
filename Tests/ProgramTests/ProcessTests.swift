import FlowServerSupport
import FlowTestSupport
import Testing

@testable import flowclient

@Suite("flowclient as a process")
struct ProcessTests: ClientSuite {
  let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders flow=slowest\nSUBJECT taps\n")
  }

  @Test("sub prints only payloads into a pipe, and ends with its publisher")
  func sub() throws {
    let result = try run("sub", "(1...3).publisher.map { $0 * 10 }")
    #expect(result == .init(output: "10\n20\n30\n", remarks: "", status: 0))
  }

  @Test("sub -n takes that many values", arguments: [["-n", "3"], ["-n", "3", "--demand", "2"]])
  func count(_ options: [String]) throws {
    let client = try RunningProgram(
      "flowclient",
      ["-s", address, "sub", "(1...1000).publisher"] + options
    )
    let result = client.finish()
    #expect(result == .init(output: "1\n2\n3\n", remarks: "", status: 0))
  }

  @Test("the words after flowclient are sent as a line")
  func lines() throws {
    #expect(try run("SUBJECT", "x", "current", "5").remarks.hasPrefix("OK subject x"))
    #expect(try run("pipeline", "even = taps.filter { $0 % 2 == 0 }").status == 0)
    let list = try run("list", "subjects")
    #expect(list.output.split(separator: "\n").count == 3)
    #expect(list.output.contains("orders") && !list.output.contains("* "))
    #expect(list.remarks == "")
    #expect(try run("ping", "hi").output == "PONG hi\n")
    #expect(try run("take", "x", "1").output == "5\n")
    #expect(try run("delete", "x").status == 0)
  }

  @Test("an ERR is exit 1, with its text and place on standard error")
  func refused() throws {
    let result = try run("pipeline", "x = orders.fliter { $0 }")
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(result.remarks.hasPrefix("flowclient: syntax "))
    #expect(result.remarks.contains("did you mean \"filter\"?"))
    #expect(result.remarks.contains("^^^^^^"))
    let sub = try run("sub", "nothing")
    #expect(sub.status == 1)
    #expect(sub.remarks.hasPrefix("flowclient: unknown-name"))
    #expect(try run("show", "nothing").remarks == sub.remarks)
    let graph = try run("graph", "nothing")
    #expect(graph.remarks == sub.remarks && graph.status == 1)
    let serve = try run("serve", "work", "--", "no-such-program")
    #expect(serve.remarks.hasPrefix("flowclient: cannot run \"no-such-program\": there is no such"))
    #expect(serve.status == 64)
  }

  @Test("a publisher that fails is exit 1")
  func failed() throws {
    let result = try run("sub", "Fail(\"boom\")")
    #expect(result.status == 1)
    #expect(result.remarks.contains("boom"))
  }

  @Test("runs lines from standard input; one ERR makes exit 1")
  func conversation() throws {
    let good = try run(input: "SUBJECT a\n# no command\nTAKE (1...2).publisher 2\nLIST subjects")
    #expect(good.status == 0)
    #expect(good.output.hasPrefix("1\n2\n") || good.output.hasSuffix("1\n2\n"))
    #expect(good.output.contains("taps"))
    let bad = try run(input: "pipelin x = taps\nPING\n")
    #expect(bad.status == 1)
    #expect(bad.output == "PONG\n")
    #expect(bad.remarks.contains("ERR unknown-command"))
  }

  @Test("send delivers all lines of input to the slowest subscriber", arguments: [1, 500])
  func sendAndSub(_ window: Int) throws {
    let values = (1...1000).map { "\($0)\n" }.joined()
    let sub = try start("sub", "orders", "--demand", String(window))
    // Its remarks may say that it waits for the subscriber.
    let sent = try run("send", "orders", input: values)
    #expect(sent.output == "")
    #expect(sent.status == 0, "\(sent.remarks)")
    #expect(try run("done", "orders").status == 0)
    #expect(sub.waitForEnd() == .init(output: values, remarks: "", status: 0))
  }

  @Test("all of very many values arrive, in order")
  func veryMany() throws {
    let count = RandomCases.count(100_000)
    let values = (1...count).map { "\($0)\n" }.joined()
    let sub = try start("sub", "orders", "--demand", "max")
    let send = try run("-v", "send", "orders", input: values)
    #expect(send.status == 0)
    #expect(send.remarks == "sent \(count) values to orders\n")
    #expect(try run("done", "orders").status == 0)
    #expect(sub.waitForEnd().output == values)
  }

  @Test("send takes arguments, or lines of its input, which end with LF")
  func sendForms() throws {
    let sub = try start("sub", "orders")
    #expect(try run("send", "orders", "1", "-2", "a b").status == 0)
    #expect(try run("send", "orders", "two\nlines").status == 0)
    #expect(try run("send", "orders", "").status == 0)
    #expect(try run("send", "orders", input: "3\r\n\n4").status == 0)
    #expect(try run("done", "orders").status == 0)
    #expect(sub.waitForEnd().output == "1\n-2\na b\ntwo\nlines\n\n3\r\n\n4\n")
  }

  @Test("send --count numbers its values, also with a rate or input lines")
  func sendNumbered() throws {
    let sub = try start("sub", "orders")
    #expect(try run("send", "orders", "--count", "3", "{n} of {n}").status == 0)
    #expect(try run("send", "orders", "--count", "2", "a\n{n}", "--rate", "1k/s").status == 0)
    #expect(try run("send", "orders", "--rate", "1000", input: "x\ny\n").status == 0)
    #expect(try run("send", "orders", "--count", "1000", "n").status == 0)
    #expect(try run("done", "orders").status == 0)
    let many = String(repeating: "n\n", count: 1000)
    #expect(
      sub.waitForEnd().output == "1 of 1\n2 of 2\n3 of 3\na\n1\na\n2\nx\ny\n\(many)"
    )
  }

  @Test("send --rate takes as long as the rate says")
  func sendSlowly() throws {
    let start = ContinuousClock.now
    #expect(try run("send", "taps", "--count", "6", "--rate", "20/s", "x").status == 0)
    #expect(ContinuousClock.now - start >= .milliseconds(250))
  }

  @Test("send --format json takes what sub -o json prints")
  func sendObjects() throws {
    let sub = try start("sub", "orders", "-o", "json")
    let values = ["{\"a\":[1,2.50]}", "\"text\"", "17"]
    #expect(try run("send", "orders", input: values.map { "\($0)\n" }.joined()).status == 0)
    #expect(try run("done", "orders").status == 0)
    let objects = sub.waitForEnd().output
    #expect(try run("subject", "copies", "flow=slowest").status == 0)
    let again = try start("sub", "copies")
    #expect(try run("send", "copies", "--format", "json", input: objects).status == 0)
    #expect(try run("done", "copies").status == 0)
    #expect(again.waitForEnd().output == values.map { "\($0)\n" }.joined())
    let wrong = try run("send", "taps", "--format", "json", input: "{\"value\":1}\n{\"v\":1}\n")
    #expect(wrong.status == 65)
    #expect(
      wrong.remarks.hasPrefix("flowclient: line 2 is not an object with a \"value\": {\"v\":1}\n")
    )
  }

  @Test("check prints the state in a line, and exits accordingly")
  func check() throws {
    let well = try run("check")
    #expect(well.status == 0 && well.output.hasPrefix("OK \(address): answers in "))
    #expect(try run("check", "taps").output.hasSuffix("; taps exists\n"))
    #expect(try run("check", "--warn", "1us").output.hasPrefix("WARNING \(address): answers in "))
    #expect(try run("check", "--warn", "1us").status == 1)
    let missing = try run("check", "nothing")
    #expect(missing.status == 2)
    #expect(missing.output.hasPrefix("CRITICAL \(address): unknown-name unknown name \"nothing\""))
    #expect(try run("subject", "sink").status == 0)
    _ = try run("run", "broken = taps.map { fail(\"no\") }.assign(to: sink)")
    #expect(try run("check", "broken").output.contains("; broken state=running "))
    #expect(try run("send", "taps", "1").status == 0)
    let failed = try run("check", "broken")
    #expect(failed.status == 2)
    #expect(
      failed.output.contains("; broken state=failed ")
        && failed.output.hasSuffix(" failure stage no\n")
    )
    let server = try run("check")
    #expect(server.status == 2 && server.output.hasPrefix("CRITICAL \(address): answers in "))
    #expect(server.output.hasSuffix("; run broken has failed; SHOW broken says why\n"))
    _ = try run("run", "again restart=60s = taps.map { fail(\"no\") }.assign(to: sink)")
    #expect(try run("send", "taps", "1").status == 0)
    let waiting = try run("check", "again")
    #expect(waiting.status == 1 && waiting.output.hasPrefix("WARNING \(address): answers in "))
    #expect(waiting.output.contains("; again state=waiting "))
    #expect(waiting.output.hasSuffix(" failure stage no\n"))
    let nowhere = try RunningProgram("flowclient", ["-s", "127.0.0.1:1", "check"]).finish()
    #expect(nowhere.status == 2 && nowhere.output.hasPrefix("CRITICAL 127.0.0.1:1: cannot reach"))
  }

  @Test("send to an unknown name is exit 1")
  func sendNowhere() throws {
    let result = try run("send", "nothing", input: "1\n")
    #expect(result.status == 1)
    #expect(result.remarks.hasPrefix("flowclient: unknown-name"))
    #expect(try run("send", "nothing", "1").status == 1)
  }

  @Test("a value over the limit is bad input")
  func tooLong() throws {
    let sub = try start("sub", "orders")
    let long = String(repeating: "x", count: 1_048_577)
    let result = try run("send", "orders", input: "1\n\(long)\n")
    #expect(result.status == 65)
    #expect(result.remarks.contains("value 2 has 1048577 bytes"))
    #expect(sub.waitForOutput(lines: 1) == ["1"])
    sub.kill(15)
    #expect(sub.waitForEnd().status == 128 + 15)
  }

  @Test("a value over the limit is refused without subscribers, too")
  func tooLongForNobody() throws {
    let long = String(repeating: "x", count: 1_048_577)
    let result = try run("send", "orders", input: "\(long)\n")
    #expect(result.status == 65)
    #expect(result.remarks.contains("value 1 has 1048577 bytes"))
  }

  @Test("the end of input ends a FEED, and sends nothing else")
  func feeding() throws {
    let good = try run(
      input: "SUBJECT lines replay 9\n@f feed lines\r\n1\n.\nPING\nFEED lines\n\n2"
    )
    #expect(good.output == "PONG\n" && good.status == 0)
    #expect(good.remarks.hasSuffix("OK feed lines sent=2 missed=0 refused=0\n"))
    #expect(try run("sub", "lines", "-n", "3").output == "1\n\n2\n")
    let bad = try run(input: "FEED nothing\nDELETE lines\n")
    #expect(bad.status == 1 && bad.remarks.hasSuffix("lines skipped: 1\n"))
    #expect(try run("delete", "lines").status == 0)
  }

  @Test("sub -v reports the number of values, also after a failure")
  func received() throws {
    #expect(
      try run("-v", "sub", "[1, 2].publisher")
        == .init(output: "1\n2\n", remarks: "received 2\n", status: 0)
    )
    let failing = try run("-v", "sub", "Just(1).append(Fail(\"broken\"))")
    #expect(failing.output == "1\n" && failing.status == 1)
    #expect(failing.remarks.hasPrefix("received 1\n"))
  }

  @Test("sub reports missed values at the end")
  func missed() throws {
    let sub = try start("sub", "taps", "--manual")
    sub.type("1\n")
    var last = 0
    var missed = 2
    while last < 1000 {
      last += 1
      let answer = try run("-v", "send", "taps", "\(last)").remarks
      if answer.contains("to=1") { break }
      if answer.contains("missed=1") { missed += 1 }
    }
    #expect(sub.waitForOutput(lines: 1) == ["\(last)"])
    #expect(try run("-v", "send", "taps", "x", "y").remarks.contains("to=0 missed=1"))
    let remark = "missed \(missed) values that came while none was asked for\n"
    #expect(sub.finish() == .init(output: "\(last)\n", remarks: remark, status: 0))
  }

  @Test("values behind the last one of -n do not count as missed")
  func takenEnough() throws {
    let sub = try start("sub", "taps", "-n", "1")
    try Patience.wait(for: "the subscription") {
      try run("list", "streams").output.contains("taps")
    }
    #expect(try run("send", "taps", "--count", "20000", "x").status == 0)
    #expect(sub.waitForEnd() == .init(output: "x\n", remarks: "", status: 0))
  }

  @Test("sub reports values missed for another reason with that reason")
  func dropped() throws {
    let join = "taps.join(taps.map { $0 + 1 }, on: { $0 }, within: 0.05)"
    let sub = try start("sub", join)
    try Patience.wait(for: "the subscription") {
      try run("list", "streams").output.contains("stream")
    }
    #expect(try run("send", "taps", "1").status == 0)
    try Patience.wait(for: "the misses") { try run("list", "streams").output.contains("missed=2") }
    sub.kill(2)
    let remark = "missed 2 values (unmatched): a join found no partner in time\n"
    #expect(sub.waitForEnd() == .init(output: "", remarks: remark, status: 128 + 2))
  }

  @Test("send reports missed values, and --fail-on-miss is exit 1", arguments: [false, true])
  func sendMisses(_ isPiped: Bool) throws {
    func send(_ arguments: String...) throws -> RunningProgram.Outcome {
      try run(["send"] + arguments + (isPiped ? [] : ["1", "2"]), input: isPiped ? "1\n2\n" : "")
    }
    let alone = "sent 2, missed 0; nobody was there\n"
    #expect(try send("taps") == .init(output: "", remarks: alone, status: 0))
    #expect(try send("-q", "taps") == .init(output: "", remarks: "", status: 0))
    #expect(try send("taps", "--fail-on-miss") == .init(output: "", remarks: alone, status: 1))
    #expect(try run("subject", "kept", "replay", "5").status == 0)
    #expect(try send("kept", "--fail-on-miss") == .init(output: "", remarks: "", status: 0))
    let sub = try start("sub", "taps", "--manual")
    try Patience.wait(for: "the subscription") {
      try run("list", "streams").output.contains("taps")
    }
    let missed = try send("taps", "--fail-on-miss", "-o", "json")
    let object = #"{"name":"taps","sent":2,"to":0,"missed":2}"#
    #expect(missed == .init(output: "\(object)\n", remarks: "sent 2, missed 2\n", status: 1))
    sub.kill(15)
    _ = sub.waitForEnd()
  }

  @Test(
    "sub says that a service has no worker, whatever the expression begins with",
    arguments: [
      "ask(nobody, 7)", "taps.flatMap { ask(nobody, $0) }",
      "Timer.publish(every: 600).autoconnect().prepend(1).flatMap { ask(nobody, $0) }",
    ]
  )
  func noWorker(_ expression: String) throws {
    let sub = try start("sub", expression)
    try Patience.wait(for: "the subscription") {
      try run("list", "streams").output.contains("stream")
    }
    #expect(try run("send", "taps", "1").status == 0)
    let remark = sub.waitForRemarks(lines: 1).first ?? ""
    let call = "nobody has no worker: 1 call of client "
    #expect(remark.hasPrefix("nothing from \(expression.prefix(59))"), "\(remark)")
    #expect(remark.contains(" so far. \(call)"), "\(remark)")
    let advice = "flowclient serve nobody -- COMMAND starts one."
    #expect(remark.hasSuffix(" (flowclient) waits for one. \(advice)"), "\(remark)")
    sub.kill(15)
    _ = sub.waitForEnd()
  }

  @Test("--manual requests as much as lines of its input say")
  func manual() throws {
    let result = try run("sub", "(1...100).publisher", "--manual", input: "2\n3\n")
    #expect(result == .init(output: "1\n2\n3\n4\n5\n", remarks: "", status: 0))
    #expect(try run("sub", "(1...3).publisher", "--manual", input: "a").output == "1\n2\n3\n")
    #expect(try run("sub", "orders", "--manual", input: "q").status == 0)
    #expect(try run("sub", "orders", "--manual", input: "x").status == 65)
  }

  @Test("--timeout is exit 124, --for is exit 0")
  func limits() throws {
    #expect(try run("sub", "orders", "--timeout", "50ms").status == 124)
    #expect(try run("send", "orders", "--timeout", "50ms", input: "1\n").status == 124)
    #expect(try run("sub", "orders", "--for", "50ms") == .init(output: "", remarks: "", status: 0))
  }

  @Test("--delay waits between values, and loses nothing")
  func delay() throws {
    let result = try run("sub", "(1...5).publisher", "--delay", "1ms", "--demand", "3")
    #expect(result.output == "1\n2\n3\n4\n5\n")
    #expect(result.status == 0)
  }

  @Test("-o json prints an object for each value")
  func json() throws {
    let result = try run("-o", "json", "sub", "[\"a\"].publisher")
    #expect(result.output.hasPrefix("{\"n\":1,\"time\":\""))
    #expect(result.output.hasSuffix("\",\"value\":\"a\"}\n"))
  }

  @Test("-o json makes an object of each row, and of help, version and check")
  func jsonOfRows() throws {
    let list = try run("-o", "json", "list", "subjects")
    #expect(list.output.hasPrefix(#"{"kind":"subject","name":"orders","settings":"passthrough","#))
    #expect(list.output.split(separator: "\n").count == 2)
    #expect(try run("show", "taps", "-o", "json").output.hasPrefix(#"{"kind":"definition","text""#))
    let explained = try run("explain", "taps", "-o", "json").output
    #expect(explained.hasPrefix(#"{"kind":"stage","number":"0","stage":"taps","asks":"-","#))
    #expect(try run("stats", "-o", "json").output.contains(#"{"metric":"flow_streams","#))
    #expect(try run("help", "map", "-o", "json").output.hasPrefix(#"{"text":"map { "#))
    #expect(try run("ping", "hi", "-o", "json").output == #"{"pong":"hi"}"# + "\n")
    #expect(try run("check", "-o", "json").output.hasPrefix(#"{"status":"OK","server":""#))
    #expect(
      try run("version", "-o", "json").output.hasPrefix(#"{"name":"flowclient","version":""#)
    )
    let help = try run("--help", "-o", "json").output.split(separator: "\n")
    #expect(help.count == VerbTable.all.count)
    #expect(help.first?.hasPrefix(#"{"command":"send","operands":"NAME [VALUE…]","#) ?? false)
    #expect(try run("-o", "json", "send", "--help").output.split(separator: "\n").count == 1)
  }

  @Test("stats is a table for people, or what Prometheus reads")
  func stats() throws {
    let table = try run("stats", "orders").output.split(separator: "\n")
    #expect(table.first?.hasPrefix("figure ") ?? false)
    #expect(table.contains { $0.hasPrefix("subject values total ") && $0.contains("published") })
    let lines = try run("stats", "orders", "-o", "prometheus").output.split(separator: "\n")
    #expect(lines.contains("# TYPE flow_subject_values_total counter"))
    let row = #"flow_subject_values_total{subject="orders",outcome="published"} "#
    #expect(lines.contains { $0.hasPrefix(row) })
    #expect(try run("stats", "nothing").status == 1)
  }

  @Test("send says once why it waits, and sub why no value comes")
  func whoFailed() async throws {
    _ = try run("subject", "built")
    for name in ["meter", "plant/2/oven"] { _ = try run("subject", name) }
    let deepRun = "hot = meter.map { fail(\"broken\") }.assign(to: plant/2/oven)"
    #expect(try self.run("run", deepRun).status == 0)
    #expect(try self.run("send", "meter", "1").status == 0)
    let run = "work = orders.map { fail(\"broken\") }.assign(to: built)"
    #expect(try self.run("run", run).status == 0)
    #expect(try self.run("send", "orders", "1").status == 0)
    #expect(try self.run("pipeline", "shown = built.map { $0 }").status == 0)
    let sub = try start("sub", "built.map { $0 }", "--for", "20s")
    let pipeline = try start("sub", "shown")
    let deep = try start("sub", "plant/2/oven.map { $0 }")
    let send = try start("send", "orders", "--timeout", "20s")
    send.type("1\n2\n")
    let why = "orders has no demand; waiting. Nobody reads orders: run work has failed with stage."
    send.endInput()
    let sent = await send.end()
    #expect(sent == .init(output: "", remarks: "\(why)\n\(Self.timedOut)", status: 124))
    let nothing =
      "nothing from built so far. Nobody sends to built: run work has failed with stage."
    #expect(sub.waitForEnd() == .init(output: "", remarks: "\(nothing)\n", status: 0))
    let comes =
      "nothing from shown so far. Nothing comes from built: run work has failed with stage."
    #expect(pipeline.waitForRemarks(lines: 1) == [comes])
    pipeline.kill(15)
    let cold =
      "nothing from plant/2/oven so far. Nobody sends to plant/2/oven: run hot has failed with stage."
    #expect(deep.waitForRemarks(lines: 1) == [cold])
    deep.kill(15)
    let one = try self.run("send", "orders", "1")
    #expect(one.status == 1)
    #expect(one.remarks.hasSuffix("\nNobody reads orders: run work has failed with stage.\n"))
  }

  private static let timedOut = "flowclient: timed out before orders took all values\n"

  @Test("--trace shows both directions on standard error")
  func trace() throws {
    let result = try run("--trace", "sub", "(1...2).publisher", "--demand", "2")
    #expect(result.output == "1\n2\n")
    for line in ["→ HELLO 1", "→ SUB (1...2).publisher 2 as=1", "← = 1 1", "← DONE 1"] {
      #expect(result.remarks.contains(line), "\(line)")
    }
  }

  @Test("sub continues after a restart of the server, and says so", arguments: ["3", "max"])
  func reconnect(_ demand: String) async throws {
    let (server, address) = try TestServer.start("SUBJECT orders flow=slowest")
    let sub = try RunningProgram(
      "flowclient",
      ["-s", address, "sub", "orders", "--demand", demand, "-n", "3"]
    )
    let first = try RunningProgram("flowclient", ["-s", address, "send", "orders", "1"]).finish()
    #expect(first.status == 0)
    #expect(sub.waitForOutput(lines: 1) == ["1"])
    try await TestServer.kill(server)
    #expect(sub.waitForRemarks(lines: 1).first?.hasPrefix("\(address) shuts down") == true)
    _ = try TestServer.start("SUBJECT orders flow=slowest", on: address)
    let rest = try RunningProgram("flowclient", ["-s", address, "send", "orders"])
    rest.type("2\n3\n")
    #expect(rest.finish().status == 0)
    let result = sub.waitForEnd()
    #expect(result.output == "1\n2\n3\n")
    #expect(result.status == 0)
    #expect(result.remarks.contains("lost \(address): "))
    #expect(result.remarks.contains("; trying again in 0."))
    #expect(result.remarks.hasSuffix("reconnected to \(address)\n"))
  }

  @Test("serve answers calls with a command until a signal")
  func serve() throws {
    let worker = try start("serve", "upper", "-j", "2", "--", "tr", "a-z", "A-Z")
    let greeting = "serving upper, 2 at a time; press control-C to stop"
    #expect(worker.waitForRemarks(lines: 1) == [greeting])
    let result = try run("sub", #"["a", "b", "c"].publisher.flatMap { ask(upper, $0) }"#)
    let lines = result.output.split(separator: "\n").sorted()
    #expect(lines == ["\"A\"", "\"B\"", "\"C\""])
    #expect(result.status == 0)
    worker.kill(2)
    #expect(worker.waitForEnd().status == 128 + 2)
    #expect(try run("list", "services").output == "")
  }

  @Test("a failing command fails its call, with its last line")
  func serveFailure() throws {
    let script = "read x; echo got $x; echo no good: $0 >&2; exit 3"
    let worker = try start("serve", "check", "--", "sh", "-c", script, "{}")
    #expect(worker.waitForRemarks(lines: 1).count == 1)
    let result = try run("sub", "ask(check, 7)")
    #expect(result.output == "got 7\n")
    #expect(result.status == 1)
    #expect(result.remarks == "flowclient: exit-3 no good: 7\n")
    worker.kill(15)
    let end = worker.waitForEnd()
    #expect(end.status == 128 + 15)
    #expect(end.remarks.hasSuffix("no good: 7\n"))
  }

  @Test("the server refuses a service with a reserved name")
  func serveRefused() throws {
    let result = try run("serve", "$events", "--", "true")
    #expect(result.status == 77)
    #expect(result.remarks.hasPrefix("flowclient: denied "))
  }

  @Test("no server is exit 69, and the message says how to start one")
  func unreachable() throws {
    let result = try RunningProgram("flowclient", ["-s", "unix:/nonexistent/socket", "list"])
      .finish()
    #expect(result.status == 69)
    #expect(result.remarks.hasPrefix("flowclient: cannot reach unix:/nonexistent/socket: "))
    #expect(
      result.remarks.hasSuffix("\nstart one: FlowServer --listen unix:/nonexistent/socket\n")
    )
  }

  @Test("a reader that closes ends sub by SIGPIPE, without a message")
  func brokenPipe() throws {
    let arguments = ["-s", address, "sub", "(1...1000000).publisher", "--demand", "max"]
    let result = try RunningProgram("flowclient", arguments, readsOutput: false).waitForEnd()
    #expect(result.status == 128 + 13)
    #expect(result.remarks == "")
  }

  @Test("a reader that closes ends sub without values, too")
  func brokenPipeInSilence() throws {
    let arguments = ["-s", address, "sub", "orders"]
    let client = try RunningProgram("flowclient", arguments, readsOutput: false)
    #expect(client.waitForEnd().status == 128 + 13)
  }

  @Test("SIGINT ends sub by that signal")
  func interrupt() throws {
    let sub = try start("sub", "orders")
    #expect(try run("send", "orders", "1").status == 0)
    #expect(sub.waitForOutput(lines: 1) == ["1"])
    sub.kill(2)
    #expect(sub.waitForEnd().status == 128 + 2)
  }
}
