internal import FlowHTTP
internal import FlowLanguage
internal import FlowTransport

/// A page that is told what there is and how it does, as often as it can take it.
///
/// A slow one gets the latest sample only: counters are totals, so that none of the others is missed.
final class PageViewer: WatchViewer {
  private let connection: Connection
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var access: Access
  private let query: WatchQuery
  /// What was told of last.
  private var changes: Int?
  private var lastTopology = -WatchPulse.quarters
  /// Since when it has not read what it was sent, by the number of the sample.
  private var unreadSince: Int?
  private var wantsAll = true

  /// After so many samples that it has not read, it is gone.
  private static let patience = 120

  private enum WatchPulse {
    /// The least distance of two topologies, in samples.
    static let quarters = 4
  }

  init(_ connection: Connection, engine: Engine, access: Access, query: WatchQuery) {
    self.connection = connection
    self.engine = engine
    self.access = access
    self.query = query
  }

  var watched: String { query.name }

  func begin() { engine.watch.add(self) }

  func end() { engine.watch.remove(self) }

  func follow(_ places: [Int?]) -> Bool { access.follow(places) }

  func sampleIsDue(_ number: Int, in watch: Watch) {
    if number % WatchPulse.quarters == 0 { wantsAll = true }
    guard connection.isOpen, connection.unsent == 0 else { return miss(number) }
    unreadSince = nil
    var bytes: [UInt8] = []
    if changes != engine.registry.changes, number - lastTopology >= WatchPulse.quarters {
      changes = engine.registry.changes
      lastTopology = number
      event("topology", &bytes) { $0.topology }
    }
    event("sample", &bytes) { $0.sample(of: watch, tellsAll: wantsAll) }
    wantsAll = false
    unsafe bytes.withUnsafeBytes { unsafe connection.append($0) }
  }

  private func event(_ name: String, _ bytes: inout [UInt8], _ make: (WatchReport) -> Value) {
    let report = engine.watch.report(query, for: access)
    unsafe make(report).withBytes { text in
      unsafe EventStream.event(name, data: Array(text), into: &bytes)
    }
  }

  private func miss(_ number: Int) {
    let since = unreadSince ?? number
    unreadSince = since
    if number - since >= Self.patience { connection.reset() }
  }
}
