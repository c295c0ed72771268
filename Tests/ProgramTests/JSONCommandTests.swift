import FlowLanguage
import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@Suite("-o json of every command")
struct JSONCommandTests {
  private let address: String

  init() throws {
    address = try TestServer.start("SUBJECT orders\nSUBJECT sums\n").address
  }

  private func run(_ arguments: String..., input: String = "") throws -> RunningProgram.Outcome {
    let client = try RunningProgram("flowclient", ["-s", address, "-o", "json"] + arguments)
    client.type(input)
    let result = client.finish()
    for line in result.output.split(separator: "\n") {
      #expect(Array(line.utf8).withUnsafeBytes { JSONText.isJSON($0) }, "\(line)")
    }
    return result
  }

  @Test("the result of a command is an object; an ERR goes to standard error")
  func lines() throws {
    let created = try run("subject", "x", "current", "5")
    #expect(created.output.hasPrefix(#"{"ok":"subject","name":"x","settings":"current 5"#))
    #expect(created.remarks == "" && created.status == 0)
    #expect(
      try run("pipeline", "p = orders.map { $0 }").output
        == #"{"ok":"pipeline","name":"p","stages":2}"# + "\n"
    )
    #expect(
      try run("run", "r = orders.assign(to: sums)").output == #"{"ok":"run","name":"r"}"# + "\n"
    )
    #expect(try run("delete", "r").output == #"{"ok":"delete","name":"r"}"# + "\n")
    #expect(try run("done", "x").output == #"{"ok":"done","name":"x"}"# + "\n")
    #expect(
      try run("kill", "name", "orders").output == #"{"ok":"kill","name":"orders","ended":0}"# + "\n"
    )
    let refused = try run("delete", "nothing")
    #expect(refused.output == "" && refused.status == 1)
    #expect(refused.remarks.hasPrefix("flowclient: unknown-name "))
    #expect(try run("list", "services").output == "")
    #expect(
      try run(input: "SUBJECT y\nLIST clients\n").output.hasPrefix(#"{"ok":"subject","name":"y""#)
    )
  }

  @Test("send says how many values it sent")
  func send() throws {
    #expect(
      try run("send", "orders", "1", "2").output
        == #"{"name":"orders","sent":2,"to":0,"missed":0,"nobody":2}"# + "\n"
    )
    #expect(
      try run("send", "orders", "--end", input: "1\n2\n3\n").output
        == #"{"name":"orders","sent":3,"to":0,"missed":0,"nobody":3,"ended":true}"# + "\n"
    )
    let refused = try run("send", "nothing", "1")
    #expect(refused.output == "" && refused.status == 1)
  }

  @Test("serve prints an object when it begins")
  func serve() throws {
    let worker = try RunningProgram(
      "flowclient",
      ["-s", address, "-o", "json", "serve", "upper", "-j", "2", "--", "cat"]
    )
    #expect(worker.waitForOutput(lines: 1) == [#"{"service":"upper","jobs":2}"#])
    worker.kill(2)
    #expect(worker.waitForEnd().status == 128 + 2)
  }

  @Test("test prints an object for each test, and for each error of a file")
  func tests() throws {
    let text = "SUBJECT a\nPIPELINE b = a.map { $0 }\ntest \"good\"\n  a 12\n  b 12\n"
    let path = try TestFolder.file("\(text)test \"bad\"\n  a 1\n  b 2\n")
    let lines = try run("test", path).output.split(separator: "\n").map(String.init)
    try #require(lines.count == 2)
    let place = #"{"file":"\#(path)","line":"#
    #expect(lines[0] == place + #"3,"test":"good","passed":true}"#)
    #expect(lines[1].hasPrefix(place + #"6,"test":"bad","passed":false,"report":""#))
    let wrong = try run("test", try TestFolder.file("PIPELINE b = a\n"))
    #expect(wrong.status == 1 && wrong.output.contains(#""severity":"error""#))
  }

  @Test("fmt says of each file whether it changes")
  func format() throws {
    let path = try TestFolder.file("subject   a\n")
    #expect(
      try run("fmt", "--check", path)
        == .init(output: #"{"file":"\#(path)","changed":true}"# + "\n", remarks: "", status: 1)
    )
    #expect(try run("fmt", path).output == #"{"file":"\#(path)","changed":true}"# + "\n")
    #expect(try run("fmt", path).output == #"{"file":"\#(path)","changed":false}"# + "\n")
    #expect(
      try run("fmt", "-", input: "subject   a\n").output
        == #"{"file":"-","changed":true,"text":"SUBJECT a\n"}"# + "\n"
    )
  }

  @Test("completion is an object with its script")
  func completion() throws {
    let output = try run("completion", "fish").output
    #expect(output.hasPrefix(#"{"shell":"fish","script":"function __flowclient_"#))
  }

  @Test("marble prints an object for each passing value, and for the end")
  func marble() throws {
    #expect(try run("pipeline", "p = orders.map { $0 * 2 }").status == 0)
    let nothing = try run("marble", "p", "--for", "50ms")
    #expect(nothing == .init(output: "", remarks: "", status: 0))
    let reader = try RunningProgram("flowclient", ["-s", address, "sub", "p"])
    let marble = try RunningProgram(
      "flowclient",
      ["-s", address, "-o", "json", "marble", "p"]
    )
    // Sends until marble has begun, which nothing else shows.
    for _ in 0..<2000 where marble.outputBytes.isEmpty {
      #expect(try run("send", "orders", "4").status == 0)
    }
    #expect(try run("done", "orders").status == 0)
    #expect(reader.waitForEnd().status == 0)
    marble.kill(2)
    let result = marble.waitForEnd()
    #expect(result.status == 128 + 2)
    let lines = result.output.split(separator: "\n")
    #expect(
      lines.contains {
        $0.hasPrefix(#"{"name":"orders","seconds":"#) && $0.hasSuffix(#","value":4}"#)
      }
    )
    for line in lines {
      #expect(Array(line.utf8).withUnsafeBytes { JSONText.isJSON($0) }, "\(line)")
    }
  }
}
