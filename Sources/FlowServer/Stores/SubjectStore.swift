internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// A store outside the server's memory, which makes the backends of subjects and runs.
///
/// Other servers may use the same store. They define subjects and runs in it, which this server makes too.
protocol SubjectStore: AnyObject {
  init(engine: Engine)

  /// Whether the settings of a subject say that it is in such a store.
  static func holds(_ settings: SubjectSettings) -> Bool
  /// Returns why no subject called `name` can be in such a store, if so.
  static func refusal(of name: String, in configuration: Configuration) -> String?
  /// Whether a server with this configuration uses such a store before it has a subject there.
  static func isUsed(in configuration: Configuration) -> Bool

  /// Connects to the store, unless it has begun to.
  func start()
  /// Makes a subject with a backend; `definition` is its place in the store if that has it.
  func makeSubject(
    _ name: String,
    _ settings: SubjectSettings,
    at definition: UInt64?
  ) -> ServerSubject
  /// Whether the store carries out such a run, for all servers.
  func carries(_ run: RunDefinition) -> Bool
  /// Makes the backend of a run that the store carries out.
  func makeBackend(of run: Run, at definition: UInt64?) -> any RunBackend

  /// Exchanges calls with other servers, if the store can.
  var calls: (any CallExchange)? { get }
  /// The reason why no new client should use this server, if there is one.
  var unreadiness: String? { get }
  /// Does what is to be done at the end of a turn; called if `EngineTurn.hasStoreWork`.
  func endTurn()

  // MARK: Figures

  /// The metrics of such stores, and of the subjects in them.
  static var metrics: [Metric] { get }
  /// Returns the lines of metrics of the store, and of those of its subjects that `gate` knows.
  func lines(for gate: Gate) -> [MetricLine]

  // MARK: Names

  /// Calls `done` when the names in the store are known, or cannot be had.
  func whenNamesAreKnown(_ done: @escaping () -> Void)
  /// Returns the error for a name that this server does not know, and the store may.
  func mayBeKnown(_ name: String) -> DefinitionError?
  /// Whether the store has a definition of `name`.
  func defines(_ name: String) -> Bool
  /// Returns the error for a deletion of `name` that the store has not answered.
  func unanswered(_ name: String) -> DefinitionError
  /// Deletes a definition that this server cannot have; `done` gets the reason if that fails.
  func delete(_ name: String, _ done: @escaping (DefinitionError?) -> Void)
  /// Makes what the store defines as `name`, which stood for something else on this server.
  func nameIsFree(_ name: String)
  /// Makes definitions of the store that have lacked something, since this server has more names now.
  func makeWhatIsUnmade()

  // MARK: The end

  /// Stores what clients have sent, and leaves, as the server stops; then calls `done`.
  func stop(_ done: @escaping () -> Void)
  /// Ends at once.
  func end()
}
