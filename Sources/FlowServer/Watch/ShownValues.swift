internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The last values that came from the source of a name and went out at its end, for a page that may show
/// them.
///
/// It looks on as a TAP does: nobody waits for it, and of many values it takes a few.
final class ShownValues {
  private let engine: Engine
  /// By the numbers of the stages.
  private var readers: [Int: RecentValues] = [:]

  /// Begins to look on at `name`, where that can be done.
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

  /// Whether what it looked at has ended, or its name stands for something else.
  var isOver: Bool { readers.values.contains(where: \.isOver) }

  /// Takes a few values more.
  func refill() { for reader in readers.values { reader.refill() } }

  /// The last values of a stage, each with how long ago it came; `nil` where nobody looks.
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

/// Keeps the beginnings of the last few values.
private final class RecentValues: Outlet {
  private(set) var values: [(time: Int64, text: String)] = []
  private(set) var isOver = false
  private let engine: Engine

  /// How many are kept, and how many characters of each.
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
