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
  private var told: [Line: Double] = [:]
  private var subscriptions = 0

  private struct Line: Hashable {
    let metric: String
    let labels: String
  }

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
    let measured = Measured(engine, for: engine.gate(for: .everything))
    var members: [JSONObject.Member] = []
    for (metric, all) in zip(MetricTable.all, measured.ofServer) {
      let samples = all.filter { sample in
        let line = Line(metric: metric.name + sample.suffix, labels: sample.labelText)
        return told.updateValue(sample.value, forKey: line) != sample.value
      }
      for suffix in Set(samples.map(\.suffix)).sorted() {
        let paths = samples.filter { $0.suffix == suffix }
          .map { (path: $0.labels.map(\.value)[...], value: $0.number) }
        members.append(.init(key: metric.name + suffix, value: Self.tree(paths)))
      }
    }
    return .object(JSONObject(members: members))
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

extension Metric.Sample {
  fileprivate var number: Value { Int(exactly: value).map(Value.int) ?? .double(value) }
}
