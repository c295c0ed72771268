package import FlowLanguage
package import FlowSubjects
package import FlowWire

/// A store outside the server's memory, which makes the backends of subjects and runs.
///
/// Several servers may share a store; each makes the subjects and runs that others define in it.
package protocol SubjectStore: AnyObject, SendableMetatype {
  init(engine: Engine)

  /// Whether a subject with these settings belongs to such a store.
  static func holds(_ settings: SubjectSettings) -> Bool
  /// Returns why the store cannot have a subject called `name`, if so.
  static func refusal(of name: String, in configuration: Configuration) -> String?
  /// Whether a server with this configuration connects to the store at its start.
  static func isUsed(in configuration: Configuration) -> Bool

  /// Connects to the store, unless it already does.
  func start()
  /// Makes a subject with a backend; `definition` is its position in the store, if stored.
  func makeSubject(
    _ name: String,
    _ settings: SubjectSettings,
    at definition: UInt64?
  ) -> ServerSubject
  /// Whether the store carries out the run, for all servers.
  func carries(_ run: RunDefinition) -> Bool
  func makeBackend(of run: Run, at definition: UInt64?) -> any RunBackend

  /// Exchanges calls with other servers, if the store can.
  var calls: (any CallExchange)? { get }
  /// Why new clients should not use this server, if so.
  var unreadiness: String? { get }
  /// Does pending work at the end of a turn; called after `Engine.scheduleStoreWork`.
  func endTurn()

  static var metrics: [Metric] { get }
  /// Returns metrics of the store, and of its subjects that `gate` knows.
  func lines(for gate: Gate) -> [MetricLine]

  /// Calls `done` when the names in the store are known, or unavailable.
  func whenNamesAreKnown(_ done: @escaping () -> Void)
  /// Returns the error for an unknown name that the store may have.
  func mayBeKnown(_ name: String) -> DefinitionError?
  func defines(_ name: String) -> Bool
  /// Returns the error for an unanswered deletion of `name`.
  func unanswered(_ name: String) -> DefinitionError
  /// Deletes a definition that this server could not make.
  func delete(_ name: String, _ done: @escaping (DefinitionError?) -> Void)
  /// Makes the store's definition of `name`, which this server used otherwise until now.
  func nameIsFree(_ name: String)
  /// Retries the store's definitions that lacked something.
  func makeWhatIsUnmade()

  /// Stores what clients have sent, disconnects, then calls `done`.
  func stop(_ done: @escaping () -> Void)
  /// Ends at once.
  func end()
}
