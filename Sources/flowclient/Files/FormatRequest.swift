import FlowFiles
import FlowLanguage
import Programs

/// Formats files: `fmt FILE…`.
struct FormatRequest: ClientCommand {
  var files: [String] = []
  /// Whether it only reports unformatted files.
  var isCheck = false

  static let entry = VerbEntry(
    FormatRequest(),
    usage: "fmt FILE…",
    group: .files,
    summary: "format files; - is standard input and output",
    options: [
      .flag("check", "change nothing; exit 1 if a file would change", \.isCheck)
    ],
    examples: ["flowclient fmt shop.flow", "flowclient fmt --check *.flow"]
  )

  var asksServer: Bool { false }

  mutating func read(_ words: CommandWords) throws(UsageError) { files = try words.files() }

  func run(in session: ClientSession) throws(ClientError) -> ExitCode {
    var isClean = true
    for name in files {
      let text = try TextFile.read(name, session.surroundings)
      let script = try Script([name]) { path throws(ClientError) in
        path == name ? text : try TextFile.read(path, session.surroundings)
      }
      guard let file = script.files.first else { continue }
      // Leaves a file with errors alone: its author may mean something else.
      let errors = Definitions(script.firstFile).errors.filter { $0.place.file == file.name }
      guard errors.isEmpty else {
        let reports = errors.map(\.report).joined(separator: "\n")
        throw ClientError(
          .badInput,
          "\(name) has errors and was not changed",
          advice: reports
        )
      }
      let formatted = file.formatted
      let isChanged = formatted != text
      if isChanged { isClean = false }
      if name == "-", !isCheck {
        session.surroundings.writeOutput(
          session.isJSON ? Self.object(name, isChanged, text: formatted) : formatted
        )
        continue
      }
      if isChanged, !isCheck { try TextFile.replace(name, with: formatted, session.surroundings) }
      if session.isJSON {
        session.surroundings.writeOutput(Self.object(name, isChanged))
      } else if isChanged {
        session.surroundings.writeOutput("\(name)\n")
      }
    }
    return isCheck && !isClean ? .no : .done
  }

  /// Returns an object that says whether a file changes; `text` is the result of standard input.
  private static func object(_ name: String, _ isChanged: Bool, text: String? = nil) -> String {
    var members = [("file", JSONText.string(name)), ("changed", "\(isChanged)")]
    if let text { members.append(("text", JSONText.string(text))) }
    return "\(JSONLine.object(members))\n"
  }
}
