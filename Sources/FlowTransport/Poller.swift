/// Wakes a loop for ready descriptors, posted work, and deadlines.
package protocol Poller: AnyObject, Sendable {
  /// Starts to deliver events as turns of `loop`.
  func start(_ loop: EventLoop)

  /// Runs `work` on the loop's queue soon, even if the loop is gone; on any thread.
  func enqueue(_ work: @escaping @Sendable () -> Void)

  /// Sets the time of the next wake-up; nil is never.
  func arm(_ due: UInt64?)

  /// Watches `descriptor` until the watch is closed; on any thread.
  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch

  /// Delivers ready events within a turn, if the poller supports it.
  func deliverWhatIsReady()
}

package protocol Watch: AnyObject {
  /// Sets the events to report.
  func update(_ interest: Interest)

  /// Reports nothing until the next interest: the peer is gone but its input must wait.
  func detach()

  /// Ends the watch, and closes the descriptor once its number can be reused safely.
  func close()
}

/// The receiver of a watch's events.
package protocol Watched: AnyObject {
  func ready(_ readiness: Readiness)
}

package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let read = Interest(rawValue: 1)
  package static let write = Interest(rawValue: 2)
  /// Reports that the peer vanished, when neither reading nor writing would show it.
  package static let hangUp = Interest(rawValue: 4)
}

package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: 1)
  package static let writable = Readiness(rawValue: 2)
  package static let hungUp = Readiness(rawValue: 4)
}
