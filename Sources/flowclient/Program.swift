import FlowRemote
import FlowWire

/// From the command line to the exit code.
package enum Program {
  package static func run(
    _ arguments: [String],
    in surroundings: any Surroundings = SystemSurroundings()
  ) async -> ExitCode {
    do {
      if arguments.first == TestPlayer.verb,
        let player = TestPlayer(arguments.dropFirst(), surroundings)
      {
        return try player.run()
      }
      let verbs = CommandTable.all.map(\.name)
      let server = surroundings.value(of: .server)
      let invocation = try ArgumentParser.parse(arguments, wireVerbs: verbs, server: server)
      return try await perform(invocation, surroundings)
    } catch {
      Remarks(surroundings).error(error)
      return error.exit
    }
  }

  private static func perform(
    _ invocation: Invocation,
    _ surroundings: any Surroundings
  ) async throws(ClientError) -> ExitCode {
    let session = ClientSession(invocation, surroundings)
    switch invocation.action {
    case .help(let name):
      surroundings.writeOutput(HelpText.page(name, asJSON: session.isJSON))
      return .done
    case .version:
      let object = JSONLine.texts([("name", "flowclient"), ("version", flowVersion)])
      surroundings.writeOutput(session.isJSON ? "\(object)\n" : "flowclient \(flowVersion)\n")
      return .done
    case .send(let request): return try await Sending(request, session).run()
    case .subscribe(let request): return try await Subscribing(request, session).run()
    case .marble(let request): return try await Marbling(request, session).run()
    case .serve(let request): return try await Serving(request, session).run()
    case .line(let line): return try await Conversing(session).run(line: line)
    case .top(let request): return try await Topping(request, session).run()
    case .stats(let request): return try await Measuring(request, session).run()
    case .check(let request): return await Checking(request, session).run()
    case .lint(let request): return try Linting(request, session).run()
    case .test(let request): return try FileTesting(request, session).run()
    case .format(let files, let isCheck):
      return try Formatting(files, isCheck: isCheck, session).run()
    case .explain(let request): return try await Explaining(request, session).run()
    case .graph(let request, let form): return try Graphing(request, form, session).run()
    case .apply(let file, let isDryRun, let isForced):
      return try await Applying(file, isDryRun: isDryRun, isForced: isForced, session).run()
    case .completion(let shell):
      let object = JSONLine.texts([("shell", shell.rawValue), ("script", shell.script)])
      surroundings.writeOutput(session.isJSON ? "\(object)\n" : shell.script)
      return .done
    case .names(let operand): return await Naming(operand, session).run()
    case .bench(let request): return try await Benching(request, session).run()
    case .converse: return try await Conversing(session).run()
    }
  }
}
