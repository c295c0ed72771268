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
    let told = String(parts[1].drop { $0 == " " })
    // How long the mistake is, and which others there are, can be found here if that needs no names.
    let found = Self.mistake(in: expression).flatMap { $0.offset == place ? $0 : nil }
    if let found, found.isAll(of: told) {
      let shown = Self.shown(found, in: expression)
      message = shown.message
      advice = shown.advice
      return
    }
    message = told
    let blanks = String(repeating: " ", count: place)
    let carets = String(repeating: "^", count: max(1, min(found?.length ?? 1, 40)))
    let drawing = "  \(expression)\n  \(blanks)\(carets)"
    advice = ShellWord.advice(on: expression).map { "\(drawing)\n\($0)" } ?? drawing
  }

  private static func mistake(in expression: String) -> Diagnostic? {
    do throws(Diagnostic) {
      _ = try FreeExpression(expression)
      return nil
    } catch {
      return error
    }
  }

  /// The mistakes of an expression, each in its place.
  init(_ exit: ExitCode, _ diagnostic: Diagnostic, in text: String) {
    let shown = Self.shown(diagnostic, in: text)
    self.init(exit, shown.message, advice: shown.advice)
  }

  private static func shown(
    _ diagnostic: Diagnostic,
    in text: String
  ) -> (message: String, advice: String) {
    let others = diagnostic.others.map { "\($0.text)\n\($0.drawing(in: text))" }
    var lines = [diagnostic.drawing(in: text)] + others
    if let advice = ShellWord.advice(on: text) { lines.append(advice) }
    return (diagnostic.text, lines.joined(separator: "\n"))
  }
}

extension Diagnostic {
  /// Whether a server that says `text` of an expression has found no other mistakes.
  fileprivate func isAll(of told: String) -> Bool {
    others.isEmpty ? told == text : told.hasPrefix("\(text) (\(others.count) more mistake")
  }

  /// The text, or the part of it around the place, and carets below the place.
  fileprivate func drawing(in text: String) -> String {
    let start = max(0, offset - 60)
    let shown = String(text.dropFirst(start).prefix(100))
    let carets = String(repeating: "^", count: max(1, min(length, 40)))
    let blanks = String(repeating: " ", count: offset - start)
    return "  \(shown)\n  \(blanks)\(carets)"
  }
}
