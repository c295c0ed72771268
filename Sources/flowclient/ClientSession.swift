import FlowRemote
import FlowTransport
import FlowWire

/// The server and output settings of one run of the program.
struct ClientSession: Sendable {
  let server: String
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

  /// Whether the output is for programs.
  var isJSON: Bool { format.form == .json }

  var platform: any Platform { surroundings.platform }

  /// Returns a copy with another output form, if given, and another end of values.
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

  /// Connects; `reconnects` says whether a lost connection is restored.
  ///
  /// With `stateChanged`, changes of the connection go there instead of standard error.
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

  /// Connects for typed lines; without `trace`, they are traced if the user asked for it.
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

  /// The token for a server that requires one; never an argument, which other users could see.
  var token: String? {
    get throws(ClientError) {
      if let tokenFile { return try ClientToken.token(in: tokenFile, surroundings) }
      return surroundings.value(of: .token)
    }
  }

  /// The rows of the answer to `command`; nil if the server refuses or stays silent for a second.
  func rows(of command: Command, _ remote: FlowRemote) -> [String]? {
    let rows = Outcome<[String]>(on: platform)
    remote.command(command) { rows.settle($0.map(\.rows).mapError { ClientError($0) }) }
    return try? rows.wait(until: platform.moment(after: .seconds(1)))?.get()
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
