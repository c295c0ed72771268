internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The last values at the source and at the end of a name, for pages that may show them.
///
/// It taps them: it affects no demand, and takes only a few of many values.
final class ShownValues {
  private let engine: Engine
  /// By stage number.
  private var readers: [Int: RecentValues] = [:]

  /// Taps `name`, as far as possible.
  init(_ name: String, stages: Int, in engine: Engine) {
    self.engine = engine
    let everything = Access.everything
    for stage in Set([0, stages - 1]) {
      guard let tap = try? engine.tap(name, stage: stage, for: everything) else { continue }
      let reader = RecentValues(engine)
      tap.subject.add(reader) {}
      readers[stage] = reader
    }
  }

  /// Whether a tapped thing has ended, or the name was redefined.
  var isOver: Bool { readers.values.contains(where: \.isOver) }

  /// Requests a few more values.
  func refill() { for reader in readers.values { reader.refill() } }

  /// The last values at a stage, with their ages; `nil` if it is not tapped.
  func last(at stage: Int) -> Value? {
    guard let reader = readers[stage] else { return nil }
    return .array(
      reader.values.map { value in
        .array([.int(Int((engine.now - value.time) / 1_000_000)), .string(value.text)])
      }
    )
  }

  func end() {
    for reader in readers.values { reader.leave() }
    readers.removeAll()
  }
}

private final class RecentValues: Outlet {
  private(set) var values: [(time: Int64, text: String)] = []
  private(set) var isOver = false
  private let engine: Engine

  /// How many values are kept.
  private static let most = 6
  private static let characters = 60

  init(_ engine: Engine) {
    self.engine = engine
    super.init()
  }

  override func offer(_ value: inout PublishedValue) {
    let start = unsafe value.bytes.prefix(Self.characters * 4)
    let text = unsafe String(String(decoding: start, as: UTF8.self).prefix(Self.characters))
    if values.count == Self.most { values.removeFirst() }
    values.append((engine.now, text))
  }

  override func finish(_ completion: Subscribers.Completion<PipelineFailure>) { isOver = true }

  func refill() {
    if available < Self.most { allow(Self.most - available) }
  }
}
