import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@Suite("The contract on the wire")
struct ObligationTests {
  @Test("holds", arguments: Obligation.all)
  func holds(obligation: Obligation) throws {
    try obligation.check(try TestServer())
  }

  @Test("values never exceed demand, and misses add up, in any order of events", arguments: 1...8)
  func play(seed: Int) throws {
    let server = try TestServer()
    try server.prepare("SUBJECT a", "SUBJECT b replay 10")
    var play = DemandPlay(
      seed: UInt64(seed),
      server: try server.framed(),
      sender: try server.framed()
    )
    try play.open("a", "a", "b", "a.map { $0 }.dropFirst(1)", "b.merge(with: a).share()")
    for _ in 0..<RandomCases.count(400) { try play.step() }
  }

  @Test("has each rule of Reactive Streams once, as the page says")
  func complete() throws {
    let sections = [("1", 11), ("2", 13), ("3", 17), ("4", 2)]
    let rules = sections.flatMap { section, count in (1...count).map { "\(section).\($0)" } }
    #expect(Obligation.all.flatMap(\.rules).sorted() == rules.sorted())
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/contract.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n## On the wire\n").dropFirst().first)
    let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
      .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| rule") }.map(String.init)
    #expect(rows == Obligation.all.map { "| \($0.rules.joined(separator: ", ")) | \($0.what) |" })
  }
}
