import FlowTestSupport
import Programs
import Testing

@testable import flowclient

@Suite("page of the commands")
struct CommandsPageTests {
  @Test("docs/commands.md is what the tables say; Scripts/pages writes it")
  func page() throws {
    var page = try GeneratedPage("docs/commands.md")
    page.text = Self.text
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }

  private static var text: String {
    var lines = [
      "# flowclient, its commands and options", "",
      "<!-- Written from the tables of the program by Scripts/pages. -->", "",
      "`flowclient` sends values to the subjects of a Flow server, prints those of its subjects and pipelines, and shows who holds up",
      "whom. Options may stand before and after the command; `--` ends them. Other commands of the protocol are sent as they are, as in",
      "`flowclient take orders 3`. Without a command, the lines of standard input are sent as commands, and the answers are printed as",
      "they come. `flowclient help COMMAND` and `flowclient COMMAND --help` print what is said here of a command. The server tells of",
      "operators, functions and the commands of the protocol, as in `flowclient help flatMap`; `echo HELP | flowclient` lists them.",
      "",
      "## Commands",
    ]
    for verb in VerbTable.all { lines += [""] + section(verb) }
    lines += ["", "## Options of every command", ""]
    lines += table("Option", options(OptionTable.generalEntries))
    lines += ["", "## Environment variables", ""]
    lines += table("Variable", ClientVariable.allCases.map { ["`\($0.rawValue)`", $0.meaning] })
    lines += ["", "## Exit codes", ""]
    lines += table("Code", ExitCode.allCases.map { ["\($0.rawValue)", $0.meaning] })
    return lines.map { "\($0)\n" }.joined()
  }

  private static func section(_ verb: VerbEntry) -> [String] {
    var lines = ["### \(verb.name)", "", "`flowclient [OPTION…] \(verb.usage)`: \(verb.summary)"]
    if !verb.remark.isEmpty { lines += ["", verb.remark] }
    let forms = verb.generalOptions.filter { $0.name == "output" }
    let own = options(verb.options + forms)
    if !own.isEmpty { lines += [""] + table("Option", own) }
    return lines + ["", "```sh"] + verb.examples + ["```"]
  }

  private static func options(_ entries: [OptionEntry]) -> [[String]] {
    entries.map { entry in
      ["`\(entry.spelling.drop { $0 == " " })`", entry.summary]
    }
  }

  private static func table(_ header: String, _ rows: [[String]]) -> [String] {
    ["| \(header) | Meaning |", "|---|---|"] + rows.map(GeneratedPage.row)
  }
}
