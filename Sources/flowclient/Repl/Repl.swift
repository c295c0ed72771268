import FlowRemote
import FlowTransport
import FlowWire
import Glibc

/// An event of the terminal's loop.
enum ReplEvent: Sendable {
  /// Bytes were typed; call `taken` when they are handled. `nil` is the end of input.
  case typed([UInt8]?, taken: @Sendable () -> Void)
  /// No key was pressed since the one with this number.
  case silent(since: UInt64)
  case arrived
  case connected(TypedConversation)
  case unreachable(ClientError)
  /// The delay before reconnecting is over.
  case retry
  case resized
  /// The program continues after being stopped.
  case continued
  /// A signal requests the end.
  case ended
  /// The time for the server's goodbye is over.
  case overdue
}

/// A conversation at a terminal: input at the foot, output above it.
struct Repl {
  private let session: ClientSession

  init(_ session: ClientSession) { self.session = session }

  /// Whether the terminal has the needed capabilities.
  static func isPossible(_ session: ClientSession) -> Bool {
    let surroundings = session.surroundings
    return surroundings.inputIsTerminal && surroundings.outputIsTerminal && !session.isJSON
      && surroundings.value(of: .terminal) != nil && !surroundings.terminalIsDumb
  }

  func run() async throws(ClientError) -> ExitCode {
    let surroundings = session.surroundings
    let (events, inlet) = AsyncStream.makeStream(of: ReplEvent.self)
    let inbox = ReplInbox(session.platform) { inlet.yield(.arrived) }
    let dialer = ReplDialer(session: session, inbox: inbox, inlet: inlet)
    let conversation = try await dialer.connect()
    let terminal = Terminal(surroundings, .foot)
    defer { terminal.leave() }
    let signals = EndingSignals(
      [SIGINT, SIGTERM, SIGHUP, SIGQUIT],
      of: surroundings,
      leaving: { terminal.leave() },
      { inlet.yield(.ended) }
    )
    let watches = [
      surroundings.watchSignal(SIGWINCH) { inlet.yield(.resized) },
      surroundings.watchSignal(SIGCONT) { inlet.yield(.continued) },
    ]
    defer { withExtendedLifetime(watches) {} }
    var loop = ReplLoop(dialer, terminal)
    terminal.enter()
    terminal.readKeysInTurn { inlet.yield(.typed($0, taken: $1)) }
    let exit: ExitCode
    do throws(ClientError) {
      exit = try await follow(events, &loop, conversation)
    } catch {
      loop.close()
      throw error
    }
    loop.close()
    terminal.leave()
    if let number = signals.received { surroundings.end(by: number) }
    return exit
  }

  private func follow(
    _ events: AsyncStream<ReplEvent>,
    _ loop: inout ReplLoop,
    _ conversation: TypedConversation
  ) async throws(ClientError) -> ExitCode {
    loop.begin(conversation)
    for await event in events {
      if let exit = try loop.handle(event) { return exit }
    }
    return .bug
  }
}

/// Connects and reconnects.
struct ReplDialer: Sendable {
  let session: ClientSession
  let inbox: ReplInbox
  let inlet: AsyncStream<ReplEvent>.Continuation

  func connect() async throws(ClientError) -> TypedConversation {
    try await session.converse(
      trace: { @Sendable [inbox] in inbox.add(.trace($0.line, isInput: $0.isInput)) },
      { @Sendable [inbox] event in
        switch event {
        case .value(let line, let payload):
          let start = line.count - payload.count
          inbox.add(unsafe .value([UInt8](line), payloadStart: start))
        case .line(let line): inbox.add(.line(line))
        case .passed: break
        case .ended(let error): inbox.add(.ended(error))
        }
      }
    )
  }

  /// Reconnects; sends the result to the loop.
  func connectAgain() {
    Task(executorPreference: session.surroundings.executor) { [self] in
      do throws(ClientError) {
        inlet.yield(.connected(try await connect()))
      } catch {
        inlet.yield(.unreachable(error))
      }
    }
  }
}
