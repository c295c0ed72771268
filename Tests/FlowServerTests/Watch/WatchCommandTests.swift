import FlowServerSupport
import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

@Suite("WATCH")
struct WatchCommandTests {
  /// The topology and the sample that a server answers, put together again.
  private func watch(
    _ line: String,
    _ client: TestClient
  ) throws -> (topology: String?, sample: String, answer: String) {
    try client.say(line)
    let rows = try client.rest { $0.hasPrefix("OK ") || $0.hasPrefix("ERR ") }
    func text(_ word: String) -> String? {
      let pieces = rows.filter { $0.hasPrefix("* \(word) ") }.map { $0.dropFirst(word.count + 3) }
      return pieces.isEmpty ? nil : pieces.joined()
    }
    return (text("topology"), text("sample") ?? "", rows.last ?? "")
  }

  @Test("tells what there is, and how it does once it has looked for a second")
  func tells() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps", "PIPELINE even = taps.map { $0 + 1 }")
    let client = try server.framed()
    _ = try client.ask("SUB even max as=1")
    let first = try watch("WATCH even", client)
    #expect(first.answer == "OK watch even")
    #expect(
      first.topology?.contains(#""total":2,"names":[{"name":"even","kind":"pipeline""#) == true
    )
    #expect(first.sample.contains(#""judged":false"#))
    for _ in 0..<36 { server.advance(seconds: 0.025) }
    #expect(try watch("WATCH even", client).sample.contains(#""judged":false"#))
    for _ in 0..<24 { server.advance(seconds: 0.025) }
    let second = try watch("WATCH even", client)
    #expect(!second.sample.contains(#""judged""#), "\(second.sample)")
    #expect(second.sample.contains(#""verdict":{"code":"quiet""#), "\(second.sample)")
    #expect(
      second.sample.contains(#""even":["quiet","","ss",0,0,1,0,[0,0,0]]"#),
      "\(second.sample)"
    )
    // Nobody has asked for longer than the server looks.
    for _ in 0..<70 { server.advance(seconds: 0.1) }
    #expect(server.server.perform { $0.watch.names.count } == 0)
    #expect(try watch("WATCH", client).sample.contains(#""judged":false"#))
  }

  @Test("shows the same rate everywhere, and how long a pipeline has been held up")
  func rates() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps", "PIPELINE even = taps.filter { $0 % 2 == 0 }")
    let client = try server.framed()
    _ = try client.ask("SUB even max as=1")
    _ = try client.ask("SUB even max as=2")
    _ = try watch("WATCH even", client)
    for value in 1...400 {
      server.advance(seconds: 0.0125)
      _ = try client.ask("SEND taps \(value)")
      _ = try client.linesSoFar()
      if value % 80 == 0 { _ = try watch("WATCH even", client) }
    }
    let sample = try watch("WATCH even", client).sample
    let row = try #require(
      sample.firstMatch(of: /"even":\["well","",".."(?:,\d+){4},\[([\d.]+),([\d.]+),0\]\]/)
    )
    let (came, went) = (String(row.1), String(row.2))
    #expect(abs((Double(came) ?? 0) - 160) < 4 && abs((Double(went) ?? 0) - 80) < 4, "\(row.0)")
    #expect(sample.contains(#""rates":[\#(came),\#(came),0]"#), "\(sample)")
    #expect(sample.contains(#""rates":[\#(came),\#(went),0]"#), "\(sample)")
    let rates = [came, went].map { Verdict.rate(Double($0) ?? 0) }
    #expect(sample.contains("All is well: \(rates[0]) come in, \(rates[1]) go out"), "\(sample)")
  }

  @Test("names services without a worker, also for calls of unnamed expressions")
  func unserved() throws {
    let server = try TestServer()
    let client = try server.framed()
    let other = try server.framed()
    _ = try client.ask("SUB ask(resize,7) 1 as=1")
    let own = try watch("WATCH filter=(", client).sample
    #expect(
      own.contains(
        #""unserved":[{"service":"resize","calls":1,"text":"resize has no worker: 1 call of client "#
      )
    )
    #expect(own.contains(#""hint":"flowclient serve resize -- COMMAND starts one.","own":true}]"#))
    let others = try watch("WATCH", other).sample
    #expect(others.contains(#""unserved""#) && !others.contains(#""own""#))
    _ = try other.ask("SERVE resize 1 as=3")
    #expect(!(try watch("WATCH", client).sample.contains("unserved")))
  }

  @Test("leaves out what is known until it changes")
  func known() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps")
    let client = try server.framed()
    let changes = server.server.perform { $0.registry.changes }
    #expect(try watch("WATCH", client).topology?.contains(#""changes":\#(changes),"#) == true)
    #expect(try watch("WATCH known=\(changes)", client).topology == nil)
    _ = try client.ask("SUBJECT more")
    #expect(try watch("WATCH known=\(changes)", client).topology?.contains("more") == true)
    let filtered = try watch("WATCH filter=MO", client)
    #expect(filtered.topology?.contains(#""total":1"#) == true)
    #expect(!filtered.sample.contains("taps"))
  }

  @Test("fits its lines, however much there is")
  func long() throws {
    let server = try TestServer()
    let name = String(repeating: "n", count: 100)
    try server.prepare("SUBJECT taps")
    for n in 0..<700 { try server.prepare("PIPELINE \(name)\(n) = taps.map { $0 + 1 }") }
    let client = try server.framed()
    try client.say("WATCH")
    let rows = try client.rest { $0.hasPrefix("OK ") }
    #expect(rows.count > 6)
    #expect(rows.allSatisfy { $0.utf8.count < 20_000 })
    let told = try watch("WATCH", client)
    for n in 0..<700 {
      #expect(told.topology?.contains(#""name":"\#(name)\#(n)""#) == true)
      #expect(told.sample.contains(#""\#(name)\#(n)":["asleep""#))
    }
    #expect(told.topology?.hasSuffix("}") == true && told.sample.hasSuffix("}"))
  }

  @Test("looks closely at a few names at a time")
  func bound() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps")
    let client = try server.framed()
    for n in 0..<40 {
      try server.prepare("PIPELINE p\(n) = taps.map { $0 + 1 }")
      #expect(try watch("WATCH p\(n)", client).answer == "OK watch p\(n)")
    }
    #expect(server.server.perform { $0.watch.closeCount } == Watch.mostPolled)
  }

  @Test("shows what a client calls itself, and is JSON all the same")
  func names() throws {
    let server = try TestServer()
    try server.prepare("SUBJECT taps")
    let client = try server.connect()
    _ = try client.ask("HELLO 1 name=a\u{202e}b")
    _ = try client.ask("SUB taps 1 as=1")
    let sample = try watch("WATCH taps", client).sample
    #expect(sample.contains(#"(a\u202eb)"#), "\(sample)")
    #expect(sample.unicodeScalars.allSatisfy { !$0.isUnseen })
  }
}
