internal import FlowSubjects

/// The backend of a run that several servers know of, and one of them carries out.
protocol RunBackend: AnyObject {
  /// How another server goes on with the run, and why so.
  var resume: Resume { get }
  var why: String { get }
  /// The place of the run's definition in its store, once it is there.
  var definition: UInt64? { get }
  /// Whether this server carries out the run.
  var isHeld: Bool { get }
  /// Whether the store has another thing of this name.
  var isRefused: Bool { get }
  /// Where the run is carried out, as rows say it.
  var place: String { get }

  // MARK: Its course

  /// Has the run known to all servers, and carried out by one of them.
  func start()
  /// Calls `done` once all servers know of the run and it reads, or with the reason why they cannot.
  func whenOpen(_ done: @escaping (DefinitionError?) -> Void)
  /// How long that may take, in nanoseconds.
  var patience: Int64 { get }
  /// The error for a definition or deletion that the store has not answered.
  var away: DefinitionError { get }
  /// Deletes the run on all servers; `done` gets the reason if that fails.
  func delete(_ done: @escaping (DefinitionError?) -> Void)
  /// Stops the run on this server, so that another one can go on at once.
  func stop()
  /// Stops the run on all servers, since it was deleted.
  func close()
  /// Tells all servers that the run has ended here, once its outputs are stored.
  func ended(_ state: Run.State)

  // MARK: Outputs of an exact run

  /// How many outputs may wait to be stored.
  var window: Int { get }
  /// How many outputs do.
  var unstored: Int { get }
  /// Stores an output once, together with how far the run has read.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String)
}
