import FlowRemote
import FlowTransport
import FlowWire

// Control-C: how output is stopped.
extension ReplLoop {
  /// Control-C stops the streams with a value or call in this time, in nanoseconds.
  private static let recent: UInt64 = 3_000_000_000

  /// Stops the output if it floods or the line is empty; drops the line.
  mutating func interrupt() {
    guard editor.isEmpty || inbox.isFlooded, stopOutput() else { return dropLine() }
    search = nil
    history.leave()
    dropPaste("control-C")
    editor.set("")
  }

  /// Cancels the streams on which values or calls come, and hides what is still on its way.
  ///
  /// - Returns: whether there was output to stop.
  private mutating func stopOutput() -> Bool {
    guard case .open(let conversation) = connection, !isPaused else { return false }
    if inbox.isSilenced { return true }
    if exchange.isTailing {
      echo("\(editor.text)^C")
      inbox.silence(.ofConnection)
      inbox.attach(nil)
      conversation.close()
      dropConnection()
      return true
    }
    let now = session.platform.monotonicNanoseconds
    let streams = exchange.used(since: now < Self.recent ? 0 : now - Self.recent)
    guard !streams.isEmpty || (inbox.isFlooded && !exchange.pending.isEmpty) else { return false }
    echo("\(editor.text)^C")
    if exchange.isFeeding { send(".", by: .typed) }
    for id in streams { send("CANCEL \(id)", by: .typed) }
    stopped = Set(streams)
    conversation.send(TaggedCommand(tag: Silence.tag, .ping(nil)).bytes)
    inbox.silence(Silence(of: streams))
    return true
  }

  /// The answer to the PING of the silence has come, so all stopped output has come before it.
  mutating func outputHasStopped() {
    stopped = []
    let count = inbox.endSilence()
    if count > 0 { say("\(count) value\(count == 1 ? " was" : "s were") not shown", code: 2) }
  }
}
