import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@testable import flowclient

@Suite("completion in bash")
struct BashCompletionTests {
  private let address: String

  init() throws {
    let definitions = """
      SUBJECT orders
      SUBJECT offers
      PIPELINE even = orders
      RUN copy = orders.assign(to: offers)
      """
    address = try TestServer.start(definitions).address
  }

  /// Returns bash's completions of the last word of a line, with `flowclient` replaced by its path.
  private func complete(_ line: String, environment: [String] = []) throws -> [String] {
    let program = try RunningProgram.folder() + "/flowclient"
    let script = """
      \(Completion.bash.script)
      COMP_LINE=$1; COMP_POINT=${#1}; COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      _flowclient
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let words = line.replacing("flowclient", with: program, maxReplacements: 1)
    let arguments = ["-c", script, "bash", words]
    let result = try RunningProgram("/bin/bash", arguments, environment: environment).finish()
    #expect(result.remarks == "" && result.status == 0)
    return result.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test("bash completes commands, options and words, also after a server with a colon")
  func words() throws {
    #expect(try complete("flowclient se") == ["send", "serve"])
    #expect(try complete("flowclient -s 127.0.0.1:3569 se") == ["send", "serve"])
    #expect(try complete("flowclient --server=127.0.0.1:3569 se") == ["send", "serve"])
    #expect(try complete("flowclient send orders --chu") == ["--chunks"])
    #expect(try complete("flowclient -o json sub orders --dur") == ["--durable"])
    #expect(try complete("flowclient list sub") == ["subjects"])
    #expect(try complete("flowclient bench ") == ["e2e", "fanout", "pub", "sub"])
    #expect(try complete("flowclient completion f").first == "fish")
  }

  @Test("bash completes the names of the server that fit the command")
  func names() throws {
    let server = "flowclient -s \(address) "
    #expect(try complete(server + "send o") == ["offers", "orders"])
    #expect(try complete(server + "send ") == ["offers", "orders"])
    #expect(try complete(server + "sub ") == ["even", "offers", "orders"])
    #expect(try complete(server + "show ") == ["copy", "even", "offers", "orders"])
    #expect(try complete("flowclient -s\(address) tap c") == ["copy"])
    #expect(try complete(server + "-o json sub -n 3 ev") == ["even"])
    #expect(try complete(server + "send orders o") == [])
    #expect(try complete("flowclient send o", environment: ["FLOW_SERVER=\(address)"]).count == 2)
  }

  @Test("completes nothing, without an error, if there is no server")
  func away() throws {
    #expect(try complete("flowclient -s 127.0.0.1:1 send o") == [])
    #expect(try complete("flowclient -s http://x send o") == [])
    let names = ["-s", "127.0.0.1:1", "completion", "names", "source"]
    #expect(
      try RunningProgram("flowclient", names).finish() == .init(output: "", remarks: "", status: 0)
    )
  }

  @Test("bash completes files where a command takes them")
  func files() throws {
    let path = try TestFolder.file("SUBJECT a\n")
    let start = String(path.dropLast(8))
    #expect(try complete("flowclient lint \(start)") == [path])
    #expect(try complete("flowclient send orders --file \(start)") == [path])
    #expect(try complete("flowclient explain \(start)") == [path])
  }

  @Test("bash completes the values of options, and no files for a number")
  func values() throws {
    #expect(try complete("flowclient graph -o ") == ["dot", "json", "mermaid", "text"])
    #expect(try complete("flowclient send -o ") == ["json", "text"])
    #expect(try complete("flowclient sub -n ") == [])
  }

  @Test("bash completes names of files with blanks")
  func blanks() throws {
    let path = try TestFolder.file()
    let start = String(path.dropLast(5))
    try "".write(toFile: "\(start) b.flow", atomically: true, encoding: .utf8)
    #expect(try complete("flowclient lint \(start)") == ["\(start) b.flow", path])
  }
}
