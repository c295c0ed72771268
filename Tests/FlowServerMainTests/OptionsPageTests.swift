import FlowTestSupport
import Programs
import Testing

@testable import FlowServerMain

@Suite("page of the server's options")
struct OptionsPageTests {
  @Test("docs/operations.md has the tables of the program; Scripts/pages writes them")
  func page() throws {
    var page = try GeneratedPage("docs/operations.md")
    let options = ServerOption.allCases.map { option in
      let variable = option.variable.map { "`\($0)`" } ?? "-"
      let spelling = option.entry.spelling.drop { $0 == " " }
      return ["`\(spelling)`", option.entry.summary, variable]
    }
    let codes = ServerExit.allCases.map { ["\($0.rawValue)", $0.meaning] }
    try page.setRows(ServerHelp.usages.map { ["`\($0)`", $1] }, below: "| Command | Meaning |")
    try page.setRows(options, below: "| Option | Meaning | Variable |")
    try page.setRows(codes, below: "| Code | Meaning |")
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }
}
