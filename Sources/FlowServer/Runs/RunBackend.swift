package import FlowLanguage
package import FlowSubjects

/// The backend of a run that several servers share and one carries out.
package protocol RunBackend: AnyObject {
  /// How another server continues the run, and why so.
  var resume: Resume { get }
  var why: String { get }
  /// The definition's position in the store, once stored.
  var definition: UInt64? { get }
  var isHeld: Bool { get }
  /// Whether the store has something else by this name.
  var isRefused: Bool { get }
  /// The server that carries out the run, for rows.
  var place: String { get }

  /// Stores the definition, so that one of the servers carries out the run.
  func start()
  /// Calls `done` once all servers know the run and it reads, or with an error.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void)
  /// How long that may take, in nanoseconds.
  var patience: Int64 { get }
  /// The error if the store does not answer.
  var away: DefinitionError { get }
  /// Deletes the run on all servers, then calls `done`.
  func delete(_ done: @escaping (DefinitionError?) -> Void)
  /// Stops the run here, so that another server can continue at once.
  func stop()
  /// Stops the run on all servers, because it was deleted.
  func close()
  /// Tells all servers that the run has ended, once its outputs are stored.
  func ended(_ state: Run.State)

  /// How many outputs may wait to be stored.
  var window: Int { get }
  /// How many outputs wait to be stored.
  var unstored: Int { get }
  /// Stores an output exactly once, with the run's reading position.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String)
  /// Stores a value that the run has no answer for exactly once, as it does an output.
  func store(_ leftOut: LeftOut, at subject: String)
}
