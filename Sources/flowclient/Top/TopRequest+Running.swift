import FlowRemote
import FlowWire
import Glibc

extension TopRequest {
  /// Whether it fills the terminal instead of printing.
  private func fillsScreen(_ session: ClientSession) -> Bool {
    let surroundings = session.surroundings
    return !isBatch && form == .text && surroundings.outputIsTerminal
      && !surroundings.terminalIsDumb
      && !(session.traces && surroundings.errorIsTerminal)
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let (events, inlet) = AsyncStream.makeStream(of: TopEvent.self)
    let fillsScreen = fillsScreen(session)
    let remote = try await session.connect { state in
      if !fillsScreen { session.remarks.state(state, of: session.server) }
      inlet.yield(.state(state))
    }
    defer { remote.close() }
    var loop = TopLoop(self, session, remote, inlet, fillsScreen: fillsScreen)
    guard fillsScreen else {
      session.surroundings.endWhenOutputBreaks()
      return try await follow(events, &loop)
    }
    let terminal = Terminal(session.surroundings)
    defer { terminal.leave() }
    let signals = EndingSignals(
      [SIGINT, SIGTERM, SIGHUP, SIGQUIT],
      of: session.surroundings,
      leaving: { terminal.leave() },
      { inlet.yield(.inputEnded) }
    )
    let resizing = session.surroundings.watchSignal(SIGWINCH) { inlet.yield(.resized) }
    defer { withExtendedLifetime(resizing) {} }
    terminal.enter()
    terminal.readKeys { inlet.yield(.typed($0)) }
    loop.terminal = terminal
    let exit = try await follow(events, &loop)
    terminal.leave()
    if let number = signals.received ?? loop.signal { session.surroundings.end(by: number) }
    return exit
  }

  private func follow(
    _ events: AsyncStream<TopEvent>,
    _ loop: inout TopLoop
  ) async throws(ClientError) -> ExitCode {
    loop.begin()
    for await event in events {
      if let exit = try loop.handle(event) { return exit }
    }
    return .bug
  }
}
