import FlowWire

/// The exit codes of the program: the numbers of `sysexits.h` where there is one.
package enum ExitCode: Int32, Error, CaseIterable {
  case done = 0
  /// The answer is no: an `ERR`, a failed publisher.
  case no = 1
  /// `check`: not well, as Nagios takes it.
  case critical = 2
  /// `check`: it cannot be told.
  case unknown = 3
  case usage = 64
  case badInput = 65
  case cannotRead = 66
  case unreachable = 69
  case bug = 70
  case cannotWrite = 74
  case tryLater = 75
  case protocolBroken = 76
  case refused = 77
  case badConfiguration = 78
  case timeout = 124

  /// Its meaning, as `--help` says it.
  var meaning: String {
    switch self {
    case .done: "done"
    case .no: "an ERR, a failed publisher; check: slow"
    case .critical: "check: not healthy"
    case .unknown: "check: unknown"
    case .usage: "the command line is wrong"
    case .badInput: "the input is wrong"
    case .cannotRead: "the input cannot be read"
    case .unreachable: "no server, or the connection was lost"
    case .bug: "a bug in flowclient"
    case .cannotWrite: "the output cannot be written"
    case .tryLater: "the server is busy or shutting down; try later"
    case .protocolBroken: "not a Flow server"
    case .refused: "denied by the server"
    case .badConfiguration: "the configuration is wrong"
    case .timeout: "--timeout passed"
    }
  }
}

/// Why the program cannot go on: what happened, what to do about it, and the exit that says so.
package struct ClientError: Error, Equatable, CustomStringConvertible {
  var exit: ExitCode
  var message: String
  /// A line of its own below the message.
  var advice: String?
  /// The code with which a server refused something or ended a stream.
  var code: ErrorCode?

  package var description: String { message }

  init(_ exit: ExitCode, _ message: String, advice: String? = nil) {
    self.exit = exit
    self.message = message
    self.advice = advice
  }

  /// Adds that `sent` values were sent before, of which `untaken` may not have been taken.
  func behind(sent: UInt64, untaken: UInt64) -> ClientError {
    guard sent > 0 else { return self }
    let text =
      switch (sent, untaken) {
      case (1, 0): "1 value was sent before that"
      case (_, 0): "\(sent) values were sent before that"
      case (1, _): "1 value was sent before that, and may not have been taken"
      case (_, sent): "\(sent) values were sent before that, and may not have been taken"
      default:
        "\(sent) values were sent before that; at least \(sent - untaken) of them were taken"
      }
    return ClientError(exit, message, advice: advice.map { "\($0)\n\(text)" } ?? text)
  }
}
