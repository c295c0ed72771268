import FlowRemote
import FlowWire
import Glibc

/// From the command line to the exit code.
enum Program {
  static let version = "0.1.0"

  static func run(_ arguments: [String]) -> Never {
    exit(result(of: arguments).rawValue)
  }

  private static func result(of arguments: [String]) -> ExitCode {
    do {
      let verbs = CommandTable.all.map(\.name)
      let invocation = try ArgumentParser.parse(arguments, wireVerbs: verbs)
      return try perform(invocation)
    } catch {
      Remarks().error(error)
      return error.exit
    }
  }

  private static func perform(_ invocation: Invocation) throws(ClientError) -> ExitCode {
    let session = ClientSession(invocation)
    switch invocation.action {
    case .help(let name):
      let verb = name.flatMap(VerbTable.entry)
      StandardStreams.writeOutput(verb.map(HelpText.verb) ?? HelpText.all())
      return .done
    case .version:
      StandardStreams.writeOutput("flowclient \(version)\n")
      return .done
    case .send(let request): return try Sending(request, session).run()
    case .subscribe(let request): return try Subscribing(request, session).run()
    case .line(let line): return try Conversing(session).run(line: line)
    case .converse: return try Conversing(session).run()
    }
  }
}
