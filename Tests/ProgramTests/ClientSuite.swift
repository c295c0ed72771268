/// Tests of `flowclient` as a process, with the server at `address`.
protocol ClientSuite {
  var address: String { get }
}

extension ClientSuite {
  /// Starts `flowclient` with the address of the server.
  func start(_ arguments: String...) throws -> RunningProgram { try start(arguments) }

  private func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram("flowclient", ["-s", address] + arguments)
  }

  /// Starts `flowclient`, writes `input` to it, and waits for its end.
  func run(_ arguments: String..., input: String = "") throws -> RunningProgram.Outcome {
    try run(arguments, input: input)
  }

  func run(_ arguments: [String], input: String = "") throws -> RunningProgram.Outcome {
    let client = try start(arguments)
    client.type(input)
    return client.finish()
  }
}
