import FlowRemote
import FlowTransport
import FlowWire

// MARK: - Control-C
extension ReplLoop {
  /// The age of the last value or call, in nanoseconds, up to which control-C stops a stream.
  private static let recent: UInt64 = 3_000_000_000

  /// Stops the output if it floods or the line is empty; otherwise drops the line.
  mutating func interrupt() {
    guard editor.isEmpty || inbox.isFlooded, stopOutput() else { return dropLine() }
    search = nil
    history.leave()
    dropPaste("control-C")
    editor.set("")
  }

  /// Cancels the streams with recent values or calls, and hides output in transit; returns whether
  /// there was any.
  private mutating func stopOutput() -> Bool {
    guard case .open(let conversation) = connection, !held.isPaused else { return false }
    if inbox.isSilenced { return true }
    if exchange.isTailing {
      echo("\(editor.text)^C")
      inbox.silence(.ofConnection)
      inbox.attach(nil)
      conversation.close()
      connection = .lost(isTold: false)
      return true
    }
    let now = session.platform.monotonicNanoseconds
    let streams = exchange.used(since: now < Self.recent ? 0 : now - Self.recent)
    guard !streams.isEmpty || (inbox.isFlooded && !exchange.pending.isEmpty) else { return false }
    echo("\(editor.text)^C")
    if exchange.isFeeding { send(".", by: .typed) }
    for id in streams { send("CANCEL \(id)", by: .typed) }
    exchange.stopped = Set(streams)
    conversation.send(TaggedCommand(tag: Silence.tag, .ping(nil)).bytes)
    inbox.silence(Silence(of: streams))
    return true
  }

  /// Ends the silence: the answer to its PING follows all stopped output.
  mutating func outputHasStopped() {
    exchange.stopped = []
    let count = inbox.endSilence()
    if count > 0 { say("\(count) value\(count == 1 ? " was" : "s were") not shown", code: 2) }
  }
}
