internal import FlowSubjects
internal import FlowWire

/// The stores that a server uses.
final class SubjectStores {
  /// All kinds of stores.
  static var kinds: [any SubjectStore.Type] { [SharedSubjects.self] }

  private unowned let engine: Engine
  private var all: [any SubjectStore] = []
  /// Exchanges calls with other servers, if a store can.
  private(set) var calls: (any CallExchange)?

  init(engine: Engine) { self.engine = engine }

  var isEmpty: Bool { all.isEmpty }

  /// The kind of store that subjects with these settings are in; nil is this server's memory.
  private static func kind(of settings: SubjectSettings) -> (any SubjectStore.Type)? {
    kinds.first { $0.holds(settings) }
  }

  /// Returns why no subject with these settings can be called `name`, if so.
  static func refusal(
    of name: String,
    _ settings: SubjectSettings,
    in configuration: Configuration
  ) -> String? {
    kind(of: settings)?.refusal(of: name, in: configuration)
  }

  /// Begins to use a store.
  func add(_ store: any SubjectStore) {
    all.append(store)
    calls = calls ?? store.calls
  }

  /// The store of this kind, if it is used.
  func store<Store: SubjectStore>(_ kind: Store.Type) -> Store? {
    all.lazy.compactMap { $0 as? Store }.first
  }

  private func store(of kind: any SubjectStore.Type) -> any SubjectStore {
    if let store = all.first(where: { type(of: $0) == kind }) { return store }
    let new = kind.init(engine: engine)
    add(new)
    return new
  }

  /// Connects to the stores that the configuration says: others may have defined subjects there.
  func join() {
    for kind in Self.kinds where kind.isUsed(in: engine.configuration) {
      store(of: kind).start()
    }
  }

  // MARK: Subjects and runs

  /// Makes a subject, in memory or with a backend; `definition` is its place in the store that has it.
  func makeSubject(
    _ name: String,
    _ settings: SubjectSettings,
    at definition: UInt64? = nil
  ) -> ServerSubject {
    guard let kind = Self.kind(of: settings) else {
      return ServerSubject(name: name, settings: settings, host: engine)
    }
    return store(of: kind).makeSubject(name, settings, at: definition)
  }

  /// Makes the backend of a run that a store carries out.
  func makeBackend(of run: Run, at definition: UInt64?) -> (any RunBackend)? {
    all.first { $0.carries(run.standing) }?.makeBackend(of: run, at: definition)
  }

  // MARK: Figures

  /// The metrics of all kinds of stores.
  static var metrics: [Metric] { kinds.flatMap { $0.metrics } }

  /// Returns the lines of metrics of the stores, and of those of their subjects that `gate` knows.
  func lines(for gate: Gate) -> [MetricLine] { all.flatMap { $0.lines(for: gate) } }

  // MARK: Names

  /// Returns the error for a name that this server does not know, and a store may.
  func mayBeKnown(_ name: String) -> DefinitionError? {
    all.lazy.compactMap { $0.mayBeKnown(name) }.first
  }

  /// The store that has a definition of `name`.
  func store(defining name: String) -> (any SubjectStore)? { all.first { $0.defines(name) } }

  /// Makes what stores define as `name`, which stood for something else on this server.
  func nameIsFree(_ name: String) { for store in all { store.nameIsFree(name) } }

  /// Makes definitions of stores that have lacked something, since this server has more names now.
  func makeWhatIsUnmade() { for store in all { store.makeWhatIsUnmade() } }

  /// Calls `done` when the names in all stores are known, or cannot be had.
  func whenNamesAreKnown(_ done: @escaping () -> Void) {
    Self.ask(all[...], { $0.whenNamesAreKnown($1) }, done)
  }

  // MARK: The server

  var unreadiness: [String] { all.compactMap { $0.unreadiness } }

  func endTurn() {
    engine.turn.hasStoreWork = false
    for store in all { store.endTurn() }
  }

  /// Has all stores store what clients have sent, as the server stops; then calls `done`.
  func stop(_ done: @escaping () -> Void) { Self.ask(all[...], { $0.stop($1) }, done) }

  /// Ends at once, as the server goes.
  func end() { for store in all { store.end() } }

  /// Asks one store after the other.
  private static func ask(
    _ stores: ArraySlice<any SubjectStore>,
    _ ask: @escaping (any SubjectStore, @escaping () -> Void) -> Void,
    _ done: @escaping () -> Void
  ) {
    guard let first = stores.first else { return done() }
    ask(first) { Self.ask(stores.dropFirst(), ask, done) }
  }
}
