/// Wakes a loop for ready descriptors, work of other threads, and the time.
package protocol Poller: AnyObject, Sendable {
  /// Starts to deliver events as turns of `loop`.
  func start(_ loop: EventLoop)

  /// Runs `work` on the loop's queue, soon, whether or not the loop is still there; on any thread.
  func enqueue(_ work: @escaping @Sendable () -> Void)

  /// Sets the time at which the loop is woken next; nil is never.
  func arm(_ due: UInt64?)

  /// Watches `descriptor` until the watch is closed. May be called on any thread.
  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch

  /// Within a turn: delivers what is ready, if it can be asked for.
  func deliverWhatIsReady()
}

/// A descriptor that a poller watches.
package protocol Watch: AnyObject {
  /// Sets what is to be reported from now on.
  func update(_ interest: Interest)

  /// The peer is gone but its input has to wait: reports nothing until the next interest.
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
  /// The peer's vanishing, when nothing is read or written that would show it.
  package static let hangUp = Interest(rawValue: 4)
}

package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let readable = Readiness(rawValue: 1)
  package static let writable = Readiness(rawValue: 2)
  package static let hungUp = Readiness(rawValue: 4)
}
