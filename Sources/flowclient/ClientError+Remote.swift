import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire

extension FlowRemote {
  /// Sends `command`; throws if the server refuses it.
  @discardableResult
  func answer(to command: Command) async throws(ClientError) -> RemoteAnswer {
    try await answer(to: command.description)
  }

  /// Sends a line; throws if the server refuses it.
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
  /// The error of a failed connection attempt.
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

  init(_ error: RemoteError) {
    switch error {
    case .lost(let reason): self.init(.unreachable, "connection lost: \(reason)")
    case .goodbye where [.shutdown, .idle, .quit].contains(error.errorCode):
      self.init(.unreachable, "connection ended: \(error)")
    case .protocolBroken(let reason): self.init(.protocolBroken, reason)
    case .refused(ErrorCode.usage.rawValue, let text): self.init(.no, "usage: \(text)")
    default: self.init(Self.exit(for: error.errorCode), Self.forShell(error.description))
    }
    code = error.errorCode
  }

  /// The text with a command of this program in place of one of the protocol.
  private static func forShell(_ text: String) -> String {
    text.replacing(ErrorCode.namesAreListed, with: "flowclient list lists the names")
  }

  private static func exit(for code: ErrorCode?) -> ExitCode {
    switch code {
    case .framing, .version, .http, .tls: .protocolBroken
    case .denied, .auth, .revoked: .refused
    case .draining, .limit, .overflow: .tryLater
    default: .no
    }
  }

  /// The error of a refused expression, with carets below the mistake.
  ///
  /// The server counts columns from 1 in the whole command, which begins with `verb`.
  init(_ error: RemoteError, in expression: String, behind verb: String = "SUB ") {
    self.init(error)
    guard case .refused(ErrorCode.syntax.rawValue, let text) = error else { return }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let column = Int(parts[0]) else { return }
    let place = column - verb.count - 1
    guard (0...expression.count).contains(place) else { return }
    let told = Self.forShell(String(parts[1].drop { $0 == " " }))
    // Parses the expression here to find the mistake's length and further mistakes, if that needs no names.
    let found = Self.mistake(in: expression).flatMap { $0.offset == place ? $0 : nil }
    if let found, found.isAll(of: told) {
      let shown = Self.shown(found, in: expression)
      message = shown.message
      advice = shown.advice
      return
    }
    message = told
    let rest = expression.dropFirst(place)
    let name = rest.prefix { $0.isLetter || $0.isNumber || "_-/".contains($0) }
    let blanks = String(repeating: " ", count: place)
    let carets = String(repeating: "^", count: max(1, min(found?.length ?? name.count, 40)))
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

  /// An error that shows each mistake of an expression in its place.
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
  /// Whether the server's message `told` contains all mistakes.
  fileprivate func isAll(of told: String) -> Bool {
    others.isEmpty ? told == text : told.hasPrefix("\(text) (\(others.count) more mistake")
  }

  /// Draws the text, or the part around the mistake, with carets below it.
  fileprivate func drawing(in text: String) -> String {
    let start = max(0, offset - 60)
    let shown = String(text.dropFirst(start).prefix(100))
    let carets = String(repeating: "^", count: max(1, min(length, 40)))
    let blanks = String(repeating: " ", count: offset - start)
    return "  \(shown)\n  \(blanks)\(carets)"
  }
}
