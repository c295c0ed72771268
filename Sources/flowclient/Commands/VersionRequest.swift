import FlowWire
import Programs

struct VersionRequest: ClientCommand {
  static let entry = VerbEntry(
    VersionRequest(),
    usage: "version",
    group: .help,
    summary: "print the version; ping -v shows that of the server",
    examples: ["flowclient version"]
  )

  var asksServer: Bool { false }

  mutating func read(_ words: CommandWords) {}

  func run(in session: ClientSession) -> ExitCode {
    let object = JSONLine.texts([("name", "flowclient"), ("version", flowVersion)])
    session.surroundings.writeOutput(session.isJSON ? "\(object)\n" : "flowclient \(flowVersion)\n")
    return .done
  }
}
