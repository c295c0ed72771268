import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire

extension FlowRemote {
  /// Sends `command` and returns the answer.
  @discardableResult
  func answer(to command: Command) async throws(ClientError) -> RemoteAnswer {
    try await answer(to: command.description)
  }

  /// Sends a line and returns the answer.
  @discardableResult
  func answer(to line: String) async throws(ClientError) -> RemoteAnswer {
    do throws(RemoteError) {
      return try await command(line)
    } catch {
      throw ClientError(error)
    }
  }
}

extension ClientError {
  /// No connection.
  init(connecting error: RemoteError, to server: String) {
    switch error {
    case .unreachable(let reason), .lost(let reason), .unresponsive(let reason):
      self.init(
        .unreachable,
        "cannot reach \(server): \(reason)",
        advice: ServerPlace.advice(unreachable: server)
      )
    default: self.init(error)
    }
  }

  /// The server said no, or went away.
  init(_ error: RemoteError) {
    switch error {
    case .lost(let reason): self.init(.unreachable, "connection lost: \(reason)")
    case .goodbye where [.shutdown, .idle, .quit].contains(error.errorCode):
      self.init(.unreachable, "connection ended: \(error)")
    case .protocolBroken(let reason): self.init(.protocolBroken, reason)
    case .refused(ErrorCode.usage.rawValue, let text): self.init(.no, "usage: \(text)")
    default:
      // In a shell a command of this program does what one of the protocol does.
      let command = "flowclient list lists the names"
      let text = error.description.replacing(ErrorCode.namesAreListed, with: command)
      self.init(Self.exit(for: error.errorCode), text)
    }
    code = error.errorCode
  }

  private static func exit(for code: ErrorCode?) -> ExitCode {
    switch code {
    case .framing, .version, .http, .tls: .protocolBroken
    case .denied, .auth, .revoked: .refused
    case .draining, .limit, .overflow: .tryLater
    default: .no
    }
  }

  /// The server refused an expression: a mistake in it is shown in its place.
  ///
  /// It counts from 1 and in the whole command, which begins with `verb`.
  init(_ error: RemoteError, in expression: String, behind verb: String = "SUB ") {
    self.init(error)
    guard case .refused(ErrorCode.syntax.rawValue, let text) = error else { return }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let column = Int(parts[0]) else { return }
    let place = column - verb.count - 1
    guard (0...expression.count).contains(place) else { return }
    message = "\(parts[1].drop { $0 == " " })"
    let blanks = String(repeating: " ", count: place)
    let carets = String(repeating: "^", count: Self.length(ofMistakeAt: place, in: expression))
    advice = "  \(expression)\n  \(blanks)\(carets)"
  }

  /// The server says where a mistake begins; how long it is can be found here if it needs no names.
  private static func length(ofMistakeAt place: Int, in expression: String) -> Int {
    do throws(Diagnostic) {
      _ = try FreeExpression(expression)
      return 1
    } catch {
      return error.offset == place ? max(1, min(error.length, 40)) : 1
    }
  }
}
