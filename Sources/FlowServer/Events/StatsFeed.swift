internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The subject `$stats`: once a second the metrics of the server that have changed.
///
/// It reads them only while a subscription has demand. The first object after a pause, or with
/// another number of subscriptions than before, has them all.
final class StatsFeed {
  static let name = "$stats"

  let subject: ServerSubject
  private unowned let engine: Engine
  private var isDue = false
  /// The values that were told last, by the rows without their values.
  private var told: [String: String] = [:]
  private var subscriptions = 0

  init(engine: Engine) {
    self.engine = engine
    subject = ServerSubject(name: Self.name, settings: SubjectSettings(), host: engine)
    subject.whenWanted = { [unowned self] in deliverLater() }
  }

  private func deliverLater() {
    guard !isDue else { return }
    isDue = true
    engine.clock.schedule(after: engine.clock.now.advanced(by: .seconds(1))) { [weak self] in
      self?.deliver()
    }
  }

  private func deliver() {
    isDue = false
    guard subject.starved < subject.outletCount else {
      told.removeAll()
      return
    }
    if subject.outletCount != subscriptions { told.removeAll() }
    subscriptions = subject.outletCount
    let value = changes()
    unsafe value.withBytes { _ = unsafe subject.publish($0) }
    deliverLater()
  }

  /// The metrics that have changed, as members of an object; labels are objects inside.
  private func changes() -> Value {
    // Only clients that may know all names can read this feed.
    let rows = Measured(engine, for: engine.gate(for: .everything)).ofServer.map(\.row)
      .filter { row in
        let key = MetricRow(row.name, row.labels, value: "").description
        return told.updateValue(row.value, forKey: key) != row.value
      }
    var names: [String] = []
    for row in rows where !names.contains(row.name) { names.append(row.name) }
    let members = names.map { name in
      let leaves = rows.filter { $0.name == name }
        .map { (path: $0.labels.map(\.value)[...], value: Self.number($0.value)) }
      return JSONObject.Member(key: name, value: Self.tree(leaves))
    }
    return .object(JSONObject(members: members))
  }

  private static func number(_ text: String) -> Value {
    Int(text).map(Value.int) ?? .double(Double(text) ?? .infinity)
  }

  private static func tree(_ leaves: [(path: ArraySlice<String>, value: Value)]) -> Value {
    if let leaf = leaves.first, leaf.path.isEmpty { return leaf.value }
    var keys: [String] = []
    for case let key? in leaves.map(\.path.first) where !keys.contains(key) { keys.append(key) }
    return .object(
      JSONObject(
        members: keys.map { key in
          let below = leaves.filter { $0.path.first == key }
          return .init(key: key, value: tree(below.map { ($0.path.dropFirst(), $0.value) }))
        }
      )
    )
  }
}
