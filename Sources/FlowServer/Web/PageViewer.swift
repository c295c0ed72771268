internal import FlowHTTP
internal import FlowLanguage
internal import FlowTransport

/// A page that receives topology and samples as fast as it reads.
///
/// A slow page gets only the latest sample; counters are totals, so nothing is lost.
final class PageViewer {
  private let connection: Connection
  @safe private unowned(unsafe) let engine: Engine  // memory 3
  private var access: Access
  private let query: WatchQuery
  /// The `changes` of the last sent topology, and of the registry at the last comparison.
  private var told: Int?
  private var changes: Int?
  private var lastTopology = -WatchPulse.quarters
  /// The number of the first sample that the page has not read.
  private var unreadSince: Int?
  private var wantsAll = true

  /// After this many unread samples the page is closed.
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

  /// The name that it watches closely; empty for none.
  var watched: String { engine.gate(for: access).reads(query.name) ? query.name : "" }

  func begin() { engine.watch.add(self) }

  func end() { engine.watch.remove(self) }

  func follow(_ places: [Int?]) -> Bool { access.follow(places) }

  /// Sends a sample; called every quarter of a second with a running number.
  func sampleIsDue(_ number: Int) {
    if number % WatchPulse.quarters == 0 { wantsAll = true }
    guard connection.isOpen, connection.unsent == 0 else { return miss(number) }
    unreadSince = nil
    var bytes: [UInt8] = []
    if changes != engine.registry.changes, number - lastTopology >= WatchPulse.quarters {
      changes = engine.registry.changes
      let new = report.changes
      if told != new {
        told = new
        lastTopology = number
        event("topology", report.topology, &bytes)
      }
    }
    event("sample", report.sample(tellsAll: wantsAll), &bytes)
    wantsAll = false
    unsafe bytes.withUnsafeBytes { unsafe connection.append($0) }
  }

  private var report: WatchReport { engine.watch.report(query, for: access) }

  private func event(_ name: String, _ value: Value, _ bytes: inout [UInt8]) {
    unsafe value.withBytes { unsafe EventStream.event(name, data: Array($0), into: &bytes) }
  }

  private func miss(_ number: Int) {
    let since = unreadSince ?? number
    unreadSince = since
    if number - since >= Self.patience { connection.reset() }
  }
}
