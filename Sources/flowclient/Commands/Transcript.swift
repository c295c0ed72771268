import Dispatch
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// Prints a conversation: data on standard output, everything else on standard error.
///
/// With `isWhole`, for a terminal, it prints everything on standard output.
final class Transcript: @unchecked Sendable {  // its variables belong to the connection's queue
  private let surroundings: any Surroundings
  private let remarks: Remarks
  private let isWhole: Bool
  private let isColored: Bool
  private let outcome: Outcome<ExitCode>
  private var printer: ValuePrinter
  private var worst = ExitCode.done
  private var hadRows = false
  private var explains = false
  private var isGreeted = false
  private var isAnswered = false
  private let server: String
  /// The only line to be answered, if there is just one.
  private let request: String?
  private let verb: Verb?
  private let isJSON: Bool

  init(_ session: ClientSession, isWhole: Bool, request: String? = nil) {
    self.request = request
    verb = request.flatMap { Verb(rawValue: $0.prefix { $0 != " " }.uppercased()) }
    server = session.server
    isJSON = session.isJSON
    surroundings = session.surroundings
    outcome = Outcome(on: session.platform)
    remarks = session.remarks
    isColored = session.isColored
    printer = ValuePrinter(session)
    self.isWhole = isWhole
  }

  func wait() throws(ClientError) -> ExitCode {
    try outcome.wait()?.get() ?? .bug
  }

  /// Calls `send` with the lines of standard input on a separate thread; leaves at their end.
  func readInput(
    _ send: @escaping @Sendable (_ lines: [UInt8], _ taken: @escaping @Sendable () -> Void) -> Void
  ) {
    surroundings.platform.run(after: 0) { [surroundings] in
      let taken = DispatchSemaphore(value: 0)
      var source = LineSource(of: surroundings)
      var feed = OpenFeed()
      do throws(ClientError) {
        while let chunk = try source.next() {
          if surroundings.inputIsTerminal, !feed.isOpen,
            unsafe ReplCommand.isExit(String(decoding: chunk.bytes, as: UTF8.self))
          {
            return send(Command.quit(now: true).bytes) {}
          }
          unsafe feed.read(chunk.bytes)
          unsafe send(Array(chunk.bytes)) { taken.signal() }
          _ = surroundings.platform.wait(for: taken, until: nil)
        }
        send((feed.isOpen ? FeedDecoder.end : []) + Command.quit(now: false).bytes) {}
      } catch {
        self.outcome.settle(.failure(error))
      }
    }
  }

  func receive(_ event: TypedConversation.Event) {
    switch event {
    case .value(let line, let payload): unsafe receive(value: payload, line)
    case .line(let line): receive(line)
    case .passed: printer.flush()
    case .ended(let error):
      printer.flush()
      outcome.settle(end(error))
    }
  }

  private func end(_ error: RemoteError?) -> Result<ExitCode, ClientError> {
    guard isGreeted else {
      let silence = RemoteError.unresponsive("the server sent no greeting")
      return .failure(ClientError(connecting: error ?? silence, to: server))
    }
    if let error, error.errorCode != .quit { return .failure(ClientError(error)) }
    guard request == nil || isAnswered else {
      return .failure(ClientError(.lost("the server closed it before it had answered")))
    }
    return .success(worst)
  }

  /// Whether the server has greeted like a Flow server.
  private func greets(_ line: ServerLine?) -> Bool {
    if isGreeted { return true }
    switch line {
    case .greeting, .bye: isGreeted = true
    default: break
    }
    return isGreeted
  }

  private func receive(value payload: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer) {
    if isWhole { return unsafe printWhole(String(decoding: line, as: UTF8.self)) }
    unsafe printer.print(payload)
  }

  private func receive(_ line: String) {
    let said = try? TaggedServerLine(line).line
    guard greets(said) else {
      let shown = line.prefix(60)
      let text = "this is not a Flow server, which would begin with HI; it says \"\(shown)\""
      return outcome.settle(.failure(ClientError(.protocolBroken, text)))
    }
    switch said {
    case .error, .fail:
      worst = .no
      isAnswered = true
    case .ok, .pong: isAnswered = true
    default: break
    }
    if isWhole {
      let isRow = if case .row = said { true } else { false }
      let width = isRow ? surroundings.textWidth : nil
      for part in width.map({ RowLayout.lines(of: line, width: $0) }) ?? [line] {
        printWhole(part, color: isColored ? said?.color : nil)
      }
      return
    }
    printer.flush()
    printSorted(FrameWriter.oneLine(line), said)
  }

  /// Prints data on standard output, remarks on standard error.
  private func printSorted(_ line: String, _ said: ServerLine?) {
    switch said {
    case .row(let text):
      hadRows = true
      guard !isJSON else { return surroundings.writeOutput("\(RowRecord.json(text, of: verb))\n") }
      let row = FrameWriter.oneLine(text)
      let lines = surroundings.textWidth.map { RowLayout.lines(of: row, width: $0) } ?? [row]
      surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
    case .pong(let text):
      let object = JSONLine.texts([("pong", text ?? "")])
      surroundings.writeOutput(isJSON ? "\(object)\n" : "\(line)\n")
    case .error(let code, let text) where request != nil:
      explains = true
      var error = ClientError(RemoteError.refused(code: code, text: text))
      if error.code == .syntax { error.advice = ShellWord.advice(on: request ?? "") }
      remarks.error(error)
    case .error, .fail:
      explains = true
      surroundings.writeError("\(line)\n")
    case .note(let text):
      if explains { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
    case .ok(let answer):
      explains = false
      if isJSON, let object = AnswerRecord.json(answer) {
        return surroundings.writeOutput("\(object)\n")
      }
      let isFarewell = if case .plain(.quit, _) = answer { true } else { false }
      if isFarewell || hadRows { remarks.detail(line) } else { remarks.note(line) }
      hadRows = false
    case .greeting, .bye: remarks.detail(line)
    default: remarks.note(line)
    }
  }

  private func printWhole(_ line: String, color: Int? = nil) {
    var output: [UInt8] = []
    if let color { output += Array("\u{1b}[\(color)m".utf8) }
    var line = line
    line.withUTF8 { unsafe ValueFormat.appendVisibly(UnsafeRawBufferPointer($0), to: &output) }
    if color != nil { output += Array("\u{1b}[0m".utf8) }
    output.append(10)
    unsafe output.withUnsafeBytes(surroundings.writeOutput)
  }
}

extension ServerLine {
  /// The color code of the line at a terminal.
  var color: Int? {
    switch self {
    case .error, .fail, .bye: 31
    case .note: 2
    default: nil
    }
  }
}
