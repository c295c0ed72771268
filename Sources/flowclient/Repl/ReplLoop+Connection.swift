import FlowRemote
import FlowTransport
import FlowWire

// MARK: - Losing and restoring the connection
extension ReplLoop {
  mutating func ended(_ error: RemoteError?) throws(ClientError) -> ExitCode? {
    connection = .lost(isTold: false)
    if isLeaving { return worst }
    if let error, !error.mayPass { throw ClientError(error) }
    if inbox.isSilenced, exchange.isTailing {
      say("the TAIL has ended; connecting again", code: 2)
    } else {
      say("lost \(session.server): \(error?.text ?? "the server closed the connection")", code: 31)
    }
    let wereOpen = exchange.running
    outputHasStopped()
    for stream in wereOpen { say("was open: \(stream.summary)") }
    if exchange.isFeeding { say("was open: a FEED; what was sent last may not have come in") }
    dropPaste("the connection was lost")
    paste = Pasting()
    listing = Listing()
    file.saving = nil
    exchange = Exchange()
    exchange.lost = wereOpen
    inbox.attach(nil)
    waitToConnect(isTold: false)
    return nil
  }

  mutating func attach(_ conversation: TypedConversation) {
    connection = .open(conversation)
    inbox.attach(conversation)
    attempts.succeed(at: session.platform.monotonicNanoseconds)
  }

  private mutating func waitToConnect(isTold: Bool) {
    connection = .lost(isTold: isTold)
    let now = session.platform.monotonicNanoseconds
    let delay = attempts.fail(at: now, Backoff(), on: session.platform)
    session.platform.run(after: UInt64(delay.inNanoseconds)) { [inlet] in inlet.yield(.retry) }
  }

  mutating func retryLater(_ error: ClientError) throws(ClientError) {
    guard case .lost(let isTold) = connection else { return }
    // A refused token stays refused.
    guard error.exit == .unreachable || error.exit == .tryLater else { throw error }
    if !isTold { say("\(error.message); trying again", code: 2) }
    waitToConnect(isTold: true)
  }

  mutating func reconnected(_ conversation: TypedConversation) {
    attach(conversation)
    say("reconnected to \(session.server)", code: 2)
    for stream in exchange.lost {
      guard let command = stream.reopening else {
        say("not opened again: \(stream.summary)", code: 2)
        continue
      }
      echo("\(command)")
      send("\(command)", by: .again)
    }
    exchange.lost = []
  }
}
