package import FlowWire

/// Where the values of a subject live, if that is not the memory of this server alone.
///
/// A subject in memory has no backend: it delivers values as they are published, and does at once what a
/// backend answers later. A subject with a backend is several subjects of this server: one has the
/// subscriptions, one takes what is published, and others serve readers that have places of their own.
package protocol SubjectBackend: AnyObject {
  /// The word for the backend in rows.
  var kind: String { get }
  /// Where the backend has the values, as a sentence says it.
  var place: String { get }
  /// The subject that has the subscriptions.
  var subject: ServerSubject { get }
  /// The subject that takes published values; its `sender` is that of the present value.
  var intake: ServerSubject { get }
  /// The subjects of runs and durable subscriptions of this server.
  var parts: [ServerSubject] { get }

  // MARK: Publishing

  /// A publisher was added to the intake, or a value waits there: its grants have to be up to date.
  func publisherWaits()
  /// Returns the error for a value that was published and not stored.
  func notStored(_ reason: ErrorCode) -> DefinitionError
  /// Returns the error for a value that waited at the intake for so many nanoseconds.
  func noRoom(for nanoseconds: Int64) -> DefinitionError

  // MARK: The subject

  /// The reason why the subject cannot be used, if it cannot.
  var refusal: DefinitionError? { get }
  /// Whether a definition with these settings is one of this subject.
  func agrees(with settings: SubjectSettings) -> Bool
  /// Calls `done` once values can be stored and read, or with the reason why they cannot.
  func whenReady(_ done: @escaping (DefinitionError?) -> Void)
  /// Completes the subject on all servers; `done` gets the reason if that fails.
  func complete(
    _ completion: ServerSubject.Completion,
    _ done: @escaping (DefinitionError?) -> Void
  )
  /// Deletes the subject on all servers, and on this one after `done`, which gets the reason if that fails.
  func delete(_ done: @escaping (DefinitionError?) -> Void)
  /// Returns the error for a request to the backend without an answer: `part` may or may not have been `done`.
  func unanswered(_ done: String, _ part: String) -> DefinitionError
  /// Leaves the subject, which this server no longer has.
  func subjectIsRemoved()

  // MARK: Reading

  /// Whether subscriptions of this server get the values that are published now.
  var isReading: Bool { get }
  /// Calls `done` when that is so, or will never be.
  func whenReading(_ done: @escaping () -> Void)
  /// Whether the last subscription has left, and the backend has not stored yet how far it was.
  var isBeingLeft: Bool { get }
  /// Calls `done` when that is stored, or others read.
  func whenLeft(_ done: @escaping () -> Void)

  /// Makes the durable subscription called `name`, for a client that begins to read it.
  func open(durable name: String) throws(DefinitionError) -> any DurableSubscription
  /// Deletes the durable subscription called `name`; `done` gets the reason if that fails.
  ///
  /// - Returns: how long that may take, in nanoseconds, and what ends it when nobody waits any more.
  func delete(
    durable name: String,
    _ done: @escaping (DefinitionError?) -> Void
  ) -> (patience: Int64, stop: () -> Void)

  /// Whether the backend can be asked for the readers.
  var knowsReaders: Bool { get }
  /// Calls `done` with the readers on all servers, or nil if they cannot be had.
  func findReaders(_ done: @escaping ([BackendReader]?) -> Void)

  // MARK: Figures

  var figures: BackendFigures { get }
  /// The reason why values are not stored at the moment, as a verdict says it, and what ends that.
  var trouble: (text: String, hint: String)? { get }
}

/// A durable subscription, while a client has it.
package protocol DurableSubscription: AnyObject {
  /// The subject that the client's stream reads.
  var subject: ServerSubject { get }
  /// Whether the client has no answer yet.
  var isOpening: Bool { get }
  /// Called when the client no longer has it.
  var whenOver: (() -> Void)? { get set }
  /// Begins to read, and then calls `done`, or with the reason why it cannot.
  func start(_ done: @escaping (DefinitionError?) -> Void)
  /// Acknowledges the `count` oldest of the values that the client has; `unsent` ones have not been sent to it.
  func acknowledge(_ count: UInt64, unsent: Int)
  /// The client no longer has it: what is not acknowledged comes again.
  func leave()
}

/// The publisher of values that a backend stores.
package protocol ValueSender: AnyObject {
  /// The oldest `count` of its values are kept, the last of them at this place, if that is known.
  func kept(_ count: Int, at sequence: UInt64?)
  /// The oldest `count` of its values are not kept, or it is not known whether they are.
  func notKept(_ count: Int, _ reason: ErrorCode)
}

extension ServerSubject {
  /// The subject to publish to: another one if a backend has the values.
  package var intake: ServerSubject { backend?.intake ?? self }

  /// Whether it takes published values to a backend.
  package var isIntake: Bool { backend.map { $0.intake === self } ?? false }

  /// Whether it is the subject of its name, rather than a part that a backend has beside that.
  package var isWhole: Bool { backend.map { $0.subject === self } ?? true }

  /// The subject and its parts: all that have subscriptions.
  package var readable: [ServerSubject] { [self] + (backend?.parts ?? []) }

  /// Values that wait for room on this server, with the subject's publishers.
  package var waitingInAll: Int { waitingCount + (backend?.intake.waitingCount ?? 0) }
}
