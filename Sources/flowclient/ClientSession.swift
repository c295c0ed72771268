import Dispatch
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// The server of one run of the program, and how to talk to it.
struct ClientSession: Sendable {
  let server: String
  /// Whether the user has named the server.
  let namesServer: Bool
  let remarks: Remarks
  private(set) var format: ValueFormat
  let isColored: Bool
  let traces: Bool
  let surroundings: any Surroundings
  private let tokenFile: String?

  init(_ invocation: Invocation, _ surroundings: any Surroundings) {
    self.surroundings = surroundings
    server = invocation.server
    namesServer = invocation.namesServer
    remarks = Remarks(surroundings, isQuiet: invocation.isQuiet, isVerbose: invocation.isVerbose)
    traces = invocation.traces
    tokenFile = invocation.tokenFile
    isColored = Self.isColored(invocation.color, surroundings)
    format = ValueFormat(form: Self.form(invocation.output, isColored, surroundings))
  }

  /// Whether what is printed is for programs.
  var isJSON: Bool { format.form == .json }

  var platform: any Platform { surroundings.platform }

  /// Returns a copy that prints values in `form`, if given, each with a NUL at its end if
  /// `endsWithNull`.
  func printing(_ form: ValueFormat.Form?, endsWithNull: Bool) -> ClientSession {
    var session = self
    session.format.endsWithNull = endsWithNull
    if let form {
      session.format.form = form
    } else if endsWithNull, case .terminal = format.form {
      session.format.form = .line
    }
    return session
  }

  /// Connects; `reconnects` says whether a connection that is lost is made again.
  ///
  /// With `stateChanged` it is told how the connection stands, and nothing is said on standard error.
  func connect(
    reconnects: Bool = true,
    stateChanged: (@Sendable (FlowRemote.State) -> Void)? = nil
  ) async throws(ClientError) -> FlowRemote {
    var settings = FlowRemote.Settings()
    if !reconnects { settings.reconnect = nil }
    settings.platform = platform
    settings.name = "flowclient"
    settings.token = try token
    settings.trace = trace
    settings.draining = { @Sendable [remarks, server] in
      if stateChanged == nil { remarks.note("\(server) shuts down within \($0) s") }
    }
    settings.stateChanged =
      stateChanged ?? { @Sendable [remarks, server] in remarks.state($0, of: server) }
    do {
      return try await FlowRemote.connect(to: server, settings: settings)
    } catch {
      throw ClientError(connecting: error, to: server)
    }
  }

  /// Connects for lines as they are typed; without `trace` they are traced if that was asked for.
  func converse(
    trace: (@Sendable (RemoteTrace) -> Void)? = nil,
    _ received: @escaping @Sendable (TypedConversation.Event) -> Void
  ) async throws(ClientError) -> TypedConversation {
    let token = try token
    do {
      return try await TypedConversation.connect(
        to: server,
        token: token,
        platform: platform,
        trace: trace ?? self.trace,
        received: received
      )
    } catch {
      throw ClientError(connecting: error, to: server)
    }
  }

  /// The token for a server that asks for one; never an argument, which other users could see.
  var token: String? {
    get throws(ClientError) {
      if let tokenFile { return try ClientToken.token(in: tokenFile, surroundings) }
      return surroundings.value(of: .token)
    }
  }

  /// The rows that the server answers to `command`; nil if it refuses, or says nothing for a second.
  func rows(of command: Command, _ remote: FlowRemote) -> [String]? {
    let answer = RowsOfAnswer()
    remote.command(command) { result in
      answer.rows.withLock { $0 = (try? result.get())?.rows }
      answer.arrived.signal()
    }
    _ = platform.wait(for: answer.arrived, until: platform.moment(after: .seconds(1)))
    return answer.rows.withLock { $0 }
  }

  private var trace: (@Sendable (RemoteTrace) -> Void)? {
    guard traces else { return nil }
    return { @Sendable [surroundings] in
      surroundings.writeError("\($0.isInput ? "←" : "→") \($0.line)\n")
    }
  }

  private static func form(
    _ output: String?,
    _ isColored: Bool,
    _ surroundings: any Surroundings
  ) -> ValueFormat.Form {
    switch output {
    case "json": .json
    case "raw": .raw
    default: surroundings.outputIsTerminal ? .terminal(colored: isColored) : .line
    }
  }

  private static func isColored(
    _ choice: ColorChoice,
    _ surroundings: any Surroundings
  ) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto:
      return surroundings.outputIsTerminal && surroundings.value(of: .noColor) == nil
        && !surroundings.terminalIsDumb
    }
  }
}

/// The rows of an answer that a thread waits for.
private final class RowsOfAnswer: Sendable {
  let arrived = DispatchSemaphore(value: 0)
  let rows = Mutex<[String]?>(nil)
}
