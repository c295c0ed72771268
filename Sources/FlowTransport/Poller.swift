/// Says which descriptors of a loop are ready; the two kinds behave alike.
protocol Poller: AnyObject {
  /// Starts to deliver events as turns of `loop`.
  func start(_ loop: EventLoop)

  /// Looks after `descriptor` until the watch is closed. May be called on any thread.
  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch

  /// Within a turn: delivers what is ready, if it can be asked for.
  func deliverWhatIsReady()

  /// Whether a ready descriptor has to be read until it is empty, for it is not reported again.
  var readsUntilEmpty: Bool { get }

  /// Work is about to be queued by `post`; on any thread.
  func workWillBeQueued()

  /// That work was queued; on any thread. The loop lets it run at once.
  func workWasQueued()

  /// That work begins.
  func workBegins()
}

/// One descriptor in a poller's care.
protocol Watch: AnyObject {
  /// Sets what is to be reported from now on.
  func update(_ interest: Interest)

  /// The peer is gone but its input has to wait: reports nothing until the next interest.
  func detach()

  /// The owner stopped before the descriptor was empty; it wants to be told again.
  func readAgain()

  /// Ends the watch and closes the descriptor as soon as nobody can mistake it for another.
  func close()
}

/// What a watch reports to.
protocol Watched: AnyObject {
  func ready(_ readiness: Readiness)
}

struct Interest: OptionSet {
  let rawValue: UInt8
  static let read = Interest(rawValue: 1)
  static let write = Interest(rawValue: 2)
  /// The peer's vanishing, when nothing is read or written that would show it.
  static let hangUp = Interest(rawValue: 4)
}

struct Readiness: OptionSet {
  let rawValue: UInt8
  static let readable = Readiness(rawValue: 1)
  static let writable = Readiness(rawValue: 2)
  static let hungUp = Readiness(rawValue: 4)
}
