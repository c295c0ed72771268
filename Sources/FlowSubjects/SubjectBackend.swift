package import FlowWire

/// Stores the values of a subject outside this server's memory.
///
/// A subject in memory has no backend. A subject with a backend consists of several subjects of
/// this server: one has the subscriptions, one takes published values, and others serve runs and
/// durable subscriptions.
package protocol SubjectBackend: AnyObject {
  /// The backend's name in rows.
  var kind: String { get }
  /// Where the values are, for a sentence.
  var place: String { get }
  var subject: ServerSubject { get }
  /// The subject that takes published values.
  var intake: ServerSubject { get }
  var parts: [ServerSubject] { get }

  // MARK: Publishing

  /// Brings the grants up to date, because a publisher was added or a value waits.
  func publisherWaits()
  /// Returns the error for a published value that was not stored.
  func notStored(_ reason: ErrorCode) -> DefinitionError
  /// Returns the error for a value that has waited too long at the intake.
  func noRoom(for nanoseconds: Int64) -> DefinitionError

  // MARK: The subject

  /// Why the subject cannot be used, if it cannot.
  var refusal: DefinitionError? { get }
  /// Whether the existing subject has these settings.
  func agrees(with settings: SubjectSettings) -> Bool
  /// Calls `done` once values can be stored and read, or with an error.
  func whenReady(_ done: @escaping (DefinitionError?) -> Void)
  /// Completes the subject on all servers, then calls `done`.
  func complete(
    _ completion: ServerSubject.Completion,
    _ done: @escaping (DefinitionError?) -> Void
  )
  /// Deletes the subject on all servers, calls `done`, then deletes it here.
  func delete(_ done: @escaping (DefinitionError?) -> Void)
  /// Returns the error for an unanswered request: `part` may or may not have been `done`.
  func unanswered(_ done: String, _ part: String) -> DefinitionError
  /// Stops using the subject, which was removed from this server.
  func subjectIsRemoved()

  // MARK: Reading

  /// Whether this server's subscriptions get values that are published now.
  var isReading: Bool { get }
  /// Calls `done` when `isReading` is true or cannot become so.
  func whenReading(_ done: @escaping () -> Void)
  /// Whether the last subscription has left and its position is not stored yet.
  var isBeingLeft: Bool { get }
  /// Calls `done` when that position is stored, or another subscription reads.
  func whenLeft(_ done: @escaping () -> Void)

  /// Opens the durable subscription `name` for a client.
  func open(durable name: String) throws(DefinitionError) -> any DurableSubscription
  /// Deletes the durable subscription `name`.
  ///
  /// - Returns: how long that may take, in nanoseconds, and a closure that cancels it.
  func delete(
    durable name: String,
    _ done: @escaping (DefinitionError?) -> Void
  ) -> (patience: Int64, stop: () -> Void)

  /// Whether `findReaders` can succeed now.
  var knowsReaders: Bool { get }
  /// Calls `done` with the readers on all servers, or nil if they are unknown.
  func findReaders(_ done: @escaping ([BackendReader]?) -> Void)

  // MARK: Figures

  var figures: BackendFigures { get }
  /// Why values are not stored at the moment, and what would help.
  var trouble: (text: String, hint: String)? { get }
}

/// A durable subscription that a client has open.
package protocol DurableSubscription: AnyObject {
  var subject: ServerSubject { get }
  /// Whether the client still waits for the answer to SUB.
  var isOpening: Bool { get }
  /// Called when the client has left it.
  var whenOver: (() -> Void)? { get set }
  /// Begins to read, then calls `done`.
  func start(_ done: @escaping (DefinitionError?) -> Void)
  /// Acknowledges the `count` oldest values of the client, of which `unsent` are not written yet.
  func acknowledge(_ count: UInt64, unsent: Int)
  /// Ends it for this client; unacknowledged values will be delivered again.
  func leave()
}

/// A publisher of values that a backend stores.
package protocol ValueSender: AnyObject {
  /// Reports that the `count` oldest values are stored, the last of them at `sequence`, if known.
  func kept(_ count: Int, at sequence: UInt64?)
  /// Reports that the `count` oldest values are not stored, or may not be.
  func notKept(_ count: Int, _ reason: ErrorCode)
}

extension ServerSubject {
  /// The subject to publish to; the backend may have another one for this.
  package var intake: ServerSubject { backend?.intake ?? self }

  /// Whether it passes published values to a backend.
  package var isIntake: Bool { backend.map { $0.intake === self } ?? false }

  /// Whether it is the named subject and not a part of one.
  package var isWhole: Bool { backend.map { $0.subject === self } ?? true }

  /// This subject and its parts: all that have subscriptions.
  package var readable: [ServerSubject] { [self] + (backend?.parts ?? []) }

  /// Values that wait here, and at the backend's intake.
  package var waitingInAll: Int { waitingCount + (backend?.intake.waitingCount ?? 0) }
}
