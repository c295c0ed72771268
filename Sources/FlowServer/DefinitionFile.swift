internal import FlowWire

/// A `.flow` file: definitions as on the wire, one a line, in any case.
///
/// A line that begins with `.` goes on with the line before it.
struct DefinitionFile {
  private struct Line {
    var number: Int
    var text: String
  }

  private let name: String
  private var lines: [Line] = []

  init(_ text: String, name: String) {
    self.name = name
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let line = part.hasSuffix("\r") ? part.dropLast() : part
      let content = line.drop { $0 == " " || $0 == "\t" }
      if content.isEmpty || content.hasPrefix("#") { continue }
      if content.hasPrefix("."), !lines.isEmpty {
        lines[lines.count - 1].text += content
      } else {
        lines.append(Line(number: index + 1, text: String(content)))
      }
    }
  }

  func define(in engine: Engine) throws(ConfigurationError) {
    for line in lines {
      do throws(DefinitionError) {
        try run(line.text, in: engine)
      } catch {
        let message = "\(error.code) \(error.message)"
        throw ConfigurationError(place: "\(name):\(line.number)", message: message)
      }
    }
  }

  private func run(_ line: String, in engine: Engine) throws(DefinitionError) {
    let command: Command
    do throws(CommandError) {
      command = try CommandLine(line).command
    } catch {
      throw DefinitionError(error.error.code.rawValue, error.error.message)
    }
    switch command {
    case .subject(let name, let settings): try engine.define(name, settings)
    case .pipeline(let name, let expression): _ = try engine.define(name, expression)
    case .run(let name, let expression): try engine.define(run: name, expression)?.start()
    default:
      throw DefinitionError("usage", "a file may have SUBJECT, PIPELINE and RUN lines only")
    }
  }
}
