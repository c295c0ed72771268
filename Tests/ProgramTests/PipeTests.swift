import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@Suite("flowclient between pipes")
struct PipeTests: ClientSuite {
  let address: String

  init() throws {
    (_, address) = try TestServer.start(
      "SUBJECT orders flow=slowest\nSUBJECT copies flow=slowest\n"
    )
  }

  /// Runs a script of the shell, in which `"$0" "$@"` is `flowclient`.
  private func shell(_ script: String, _ arguments: String...) throws -> RunningProgram {
    let program = try RunningProgram.folder() + "/flowclient"
    return try RunningProgram(
      "/bin/sh",
      ["-c", script, program, "-s", address] + arguments,
      environment: ["PATH=/usr/bin:/bin"]
    )
  }

  // MARK: Closed streams

  @Test(
    "reports a closed standard stream; no other file takes its place",
    arguments: [
      (#"exec "$0" "$@" send orders <&-"#, 66, "cannot read"),
      (#"exec "$0" fmt - <&-"#, 66, "cannot read"),
      (#"exec "$0" "$@" sub orders >&-"#, 74, "cannot write"),
      (#"exec "$0" "$@" list >&-"#, 74, "cannot write"),
    ]
  )
  func noStream(_ script: String, _ status: Int32, _ remark: String) throws {
    let result = try shell(script).waitForEnd()
    #expect(result.status == status, "\(result)")
    #expect(result.remarks.contains("\(remark): bad file descriptor"), "\(result)")
  }

  @Test("does not read an endless file for ever")
  func endless() throws {
    let result = try shell(#"exec "$0" lint /dev/zero"#).waitForEnd()
    #expect(result.status == 66)
    #expect(result.remarks.contains("file too large"), "\(result)")
  }

  // MARK: Input

  @Test("send --format csv sends objects up to the first wrong record")
  func csv() throws {
    let sub = try start("sub", "orders")
    let good = "id,name\r\n1,\"Doe, \"\"J\"\"\"\r\n2,\"two\nlines\"\r\n"
    #expect(try run("send", "orders", "--format", "csv", input: good).status == 0)
    let bad = try run("send", "orders", "--format", "csv", "--end", input: "a\n1\n2\n3,4\n5\n")
    #expect(bad.status == 65)
    #expect(
      bad.remarks
        == "flowclient: line 4 has 2 fields, but the header has 1\n2 values were sent before that\n"
    )
    #expect(try run("done", "orders").status == 0)
    #expect(
      sub.waitForEnd().output
        == #"{"id":1,"name":"Doe, \"J\""}"# + "\n" + #"{"id":2,"name":"two\nlines"}"# + "\n"
        + "{\"a\":1}\n{\"a\":2}\n"
    )
    let open = try run("send", "copies", "--format", "csv", input: "a\n\"1\n")
    #expect(open.status == 65)
    #expect(
      open.remarks == "flowclient: line 2, column 1: nothing ends the quotes that begin here\n"
    )
  }

  @Test("send --format ndjson takes only lines of JSON")
  func ndjson() throws {
    let sub = try start("sub", "orders")
    let result = try run(
      "send",
      "orders",
      "--format",
      "ndjson",
      input: "{\"a\": 1.50}\r\n\n[]\n{x\n"
    )
    #expect(result.status == 65)
    #expect(result.remarks.hasPrefix("flowclient: line 4, column 2: expected a key in quotes\n"))
    #expect(result.remarks.hasSuffix("\n2 values were sent before that\n"))
    #expect(try run("done", "orders").status == 0)
    #expect(sub.waitForEnd().output == "{\"a\": 1.50}\n[]\n")
  }

  @Test("send --format raw is one value, and -0 cuts at each NUL")
  func raw() throws {
    let sub = try start("sub", "orders", "-0")
    #expect(try run("send", "orders", "--format", "raw", input: "a\nb\r\n\n").status == 0)
    #expect(try run("send", "orders", "-0", input: "c\nd\0\0e\n\0f").status == 0)
    #expect(try run("send", "orders", "-0", "--format", "raw", "--end", input: "g\0").status == 0)
    #expect(sub.waitForEnd().output == "a\nb\r\n\n\0c\nd\0\0e\n\0f\0g\0")
  }

  @Test("a value over the limit is refused, with --format raw and with -0")
  func tooLong() throws {
    let sub = try start("sub", "orders")
    let long = String(repeating: "x", count: 1_048_577)
    let whole = try run("send", "orders", "--format", "raw", input: long)
    #expect(whole.status == 65)
    #expect(whole.remarks.contains("standard input is longer than the limit of 1048576 bytes"))
    let null = try run("send", "orders", "-0", input: "\(long)\0")
    #expect(null.status == 65 && null.remarks.contains("value 1 has 1048577 bytes"))
    sub.kill(15)
    #expect(sub.waitForEnd().output == "")
  }

  // MARK: Output

  @Test("sub --format prints records, JSON or a template, and reports unprinted members")
  func forms() throws {
    let values = [#"{"id":1,"price":2.50}"#, #"{"id":"x,y"}"#, #"{"price":3,"more":4}"#]
    #expect(try run("subject", "kept", "replay", "9").status == 0)
    #expect(try run("send", "kept", input: values.joined(separator: "\n")).status == 0)
    func sub(_ options: String...) throws -> RunningProgram.Outcome {
      try RunningProgram("flowclient", ["-s", address, "sub", "kept", "-n", "3"] + options).finish()
    }
    #expect(
      try sub("--format", "csv")
        == .init(
          output: "id,price\n1,2.50\n\"x,y\",\n,3\n",
          remarks: "1 value had members that are no columns: more\n",
          status: 0
        )
    )
    #expect(
      try sub("--format", "template", "{id}: {price}")
        == .init(
          output: "1: 2.50\nx,y: \n: 3\n",
          remarks: "1 value had no {id}\n1 value had no {price}\n",
          status: 0
        )
    )
    #expect(try sub("-q", "--format", "template", "{id}").remarks == "")
    #expect(try sub("--format", "ndjson").output == values.map { "\($0)\n" }.joined())
  }

  @Test("sub prints each value at once", arguments: ["csv", "ndjson", "template={}"])
  func atOnce(_ form: String) throws {
    let sub = try start("sub", "orders", "--format", form)
    #expect(try run("send", "orders", "7").status == 0)
    let lines = form == "csv" ? ["value", "7"] : ["7"]
    #expect(sub.waitForOutput(lines: lines.count) == lines)
    #expect(try run("done", "orders").status == 0)
    #expect(sub.waitForEnd().status == 0)
  }

  // MARK: Round trips

  @Test("many payloads of any bytes pass through files unchanged")
  func bytes() throws {
    var random = SeededGenerator(state: 23)
    let payloads = (0..<RandomCases.count(20_000)).map { _ in
      (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 1...255, using: &random)
      }
    }
    let file = try TestFolder.file(Data(payloads.flatMap { $0 + [0] }))
    let records = try start("sub", "orders", "-o", "json")
    let send = try shell(#"exec "$0" "$1" "$2" send orders -0 --end < "$3""#, file)
    #expect(send.waitForEnd().status == 0)
    #expect(records.waitForEnd().status == 0)
    let again = try start("sub", "copies", "-0")
    let text = String(decoding: records.outputBytes, as: UTF8.self)
    #expect(try run("send", "copies", "--format", "json", "--end", input: text).status == 0)
    #expect(again.waitForEnd().status == 0)
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
    #expect(again.outputBytes == bytes)
    #expect(try run("subject", "pieces", "flow=slowest").status == 0)
    let pieces = try start("sub", "pieces", "-o", "raw")
    let cut = try run("send", "pieces", "--file", file, "--chunks", "100", "--end")
    #expect(cut.status == 0)
    #expect(pieces.waitForEnd().status == 0)
    #expect(pieces.outputBytes == bytes)
  }

  @Test("CSV is printed as it was sent")
  func csvAgain() throws {
    let rows = (0..<RandomCases.count(5000)).map {
      "\($0),\($0 % 7 == 0 ? "\"a, \"\"b\"\"\nc\"" : "ä\($0)"),\"\($0)\","
    }
    let csv = "id,name,text,nothing\n" + rows.map { "\($0)\n" }.joined()
    let sub = try start("sub", "orders", "--format", "csv")
    #expect(try run("send", "orders", "--format", "csv", "--end", input: csv).status == 0)
    #expect(sub.waitForEnd() == .init(output: csv, remarks: "", status: 0))
  }

  // MARK: Readers

  @Test("a reader that closes ends sub, also without further values")
  func head() throws {
    let script = #"{ "$0" "$@"; echo "exit $?" >&2; } | head -n 1"#
    let client = try shell(script, "sub", "orders")
    #expect(try run("send", "orders", "1").status == 0)
    #expect(client.waitForEnd() == .init(output: "1\n", remarks: "exit 141\n", status: 0))
  }

  @Test("a reader that does not read uses up the demand, and loses nothing")
  func slowReader() throws {
    let script = #"exec 3<&0; "$0" "$@" < /dev/null | { read go <&3; cat; }"#
    let client = try shell(script, "sub", "orders", "--demand", "100")
    let value = String(repeating: "x", count: 10_000)
    let send = try start("send", "orders", "--count", "300", "--end", value)
    var row = ""
    for _ in 0..<2000 where !row.contains(" demand=0 ") {
      row =
        try run("list", "streams").output.split(separator: "\n")
        .first { $0.hasPrefix("stream ") && $0.contains(" name=orders ") }.map(String.init) ?? ""
    }
    #expect(row.contains(" demand=0 "), "\(row)")
    client.type("go\n")
    #expect(send.waitForEnd().status == 0)
    let output = client.finish().output
    #expect(output == String(repeating: "\(value)\n", count: 300))
  }
}
