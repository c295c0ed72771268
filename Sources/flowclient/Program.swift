/// Runs the program, from the command line to the exit code.
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
      let server = surroundings.value(of: .server)
      let invocation = try ArgumentParser.parse(arguments, server: server)
      let session = ClientSession(invocation, surroundings)
      return try await invocation.command.run(in: session)
    } catch {
      Remarks(surroundings).error(error)
      return error.exit
    }
  }
}
