/// Tells its subscribers that an object is about to change; see `ObservableObject`.
///
/// A subscriber that has asked for anything at all is told of every change.
public final class ObservableObjectPublisher: _SubjectBase<Void, Never>, Publisher,
  @unchecked Sendable  // the owner word guards all state
{
  /// An empty value for each change.
  public typealias Output = Void
  public typealias Failure = Never

  /// Makes a publisher without subscribers.
  public override init() {}

  /// Announces a change to the subscribers.
  public func send() {
    owner.enter()
    forEachConduit { $0.send(()) }
    leave()
  }

  override var conduitName: String { "ObservableObjectPublisher" }

  /// Attaches `subscriber`, which is told of every change once it has asked for anything.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
    attach(
      _ConduitOf(self, subscriber) { object, count in
        // memory 7
        let conduit = unsafe unsafeDowncast(object, to: _Conduit.self)
        if count < 0 { conduit.hub.cancel(conduit) } else { conduit.ask(.max) }
      }
    )
  }

  override var showsConduitsInFull: Bool { false }
}
