internal import FlowSubjects
internal import FlowWire

package final class SubjectStores {
  private unowned let engine: Engine
  private var all: [any SubjectStore] = []
  private(set) var calls: (any CallExchange)?

  init(engine: Engine) { self.engine = engine }

  var isEmpty: Bool { all.isEmpty }

  /// The kind of store for subjects with these settings; nil is this server's memory.
  private static func kind(
    of settings: SubjectSettings,
    in configuration: Configuration
  ) -> (any SubjectStore.Type)? {
    configuration.stores.lazy.map(\.type).first { $0.holds(settings) }
  }

  /// Returns why a subject with these settings cannot be called `name`, if so.
  static func refusal(
    of name: String,
    _ settings: SubjectSettings,
    in configuration: Configuration
  ) -> String? {
    guard let kind = kind(of: settings, in: configuration) else {
      return settings.nats.map { _ in "this server was made without the store of on=nats" }
    }
    return kind.refusal(of: name, in: configuration)
  }

  package func add(_ store: any SubjectStore) {
    all.append(store)
    calls = calls ?? store.calls
  }

  func store<Store: SubjectStore>(_ kind: Store.Type) -> Store? {
    all.lazy.compactMap { $0 as? Store }.first
  }

  private func store(of kind: any SubjectStore.Type) -> any SubjectStore {
    if let store = all.first(where: { type(of: $0) == kind }) { return store }
    let new = kind.init(engine: engine)
    add(new)
    return new
  }

  /// Connects to the stores in the configuration, where others may have defined subjects.
  func join() {
    let configuration = engine.configuration
    for kind in configuration.stores where kind.type.isUsed(in: configuration) {
      store(of: kind.type).start()
    }
  }

  /// Makes a subject; `definition` is its position in the store, if stored.
  func makeSubject(
    _ name: String,
    _ settings: SubjectSettings,
    at definition: UInt64? = nil
  ) -> ServerSubject {
    guard let kind = Self.kind(of: settings, in: engine.configuration) else {
      return ServerSubject(name: name, settings: settings, host: engine)
    }
    return store(of: kind).makeSubject(name, settings, at: definition)
  }

  func makeBackend(of run: Run, at definition: UInt64?) -> (any RunBackend)? {
    all.first { $0.carries(run.standing) }?.makeBackend(of: run, at: definition)
  }

  var metrics: [Metric] { engine.configuration.stores.flatMap { $0.type.metrics } }

  func lines(for gate: Gate) -> [MetricLine] { all.flatMap { $0.lines(for: gate) } }

  func mayBeKnown(_ name: String) -> DefinitionError? {
    all.lazy.compactMap { $0.mayBeKnown(name) }.first
  }

  func store(defining name: String) -> (any SubjectStore)? { all.first { $0.defines(name) } }

  func nameIsFree(_ name: String) { for store in all { store.nameIsFree(name) } }

  func makeWhatIsUnmade() { for store in all { store.makeWhatIsUnmade() } }

  /// Calls `done` when the names in all stores are known, or unavailable.
  func whenNamesAreKnown(_ done: @escaping () -> Void) {
    Self.ask(all[...], { $0.whenNamesAreKnown($1) }, done)
  }

  var unreadiness: [String] { all.compactMap { $0.unreadiness } }

  func endTurn() {
    engine.turn.hasStoreWork = false
    for store in all { store.endTurn() }
  }

  func stop(_ done: @escaping () -> Void) { Self.ask(all[...], { $0.stop($1) }, done) }

  func end() { for store in all { store.end() } }

  /// Calls each store after the previous one has answered.
  private static func ask(
    _ stores: ArraySlice<any SubjectStore>,
    _ ask: @escaping (any SubjectStore, @escaping () -> Void) -> Void,
    _ done: @escaping () -> Void
  ) {
    guard let first = stores.first else { return done() }
    ask(first) { Self.ask(stores.dropFirst(), ask, done) }
  }
}
