import FlowCore

/// What one stage of a running pipeline holds: each value at its real size, from the moment it is
/// kept until it has gone.
///
/// One stands in each subscription of a stage that keeps values; what is inside when it goes is
/// given back.
final class HeldValues {
  private let memoryBudget: MemoryBudget
  private let stage: String
  /// What tells of the values inside, if something is made of several.
  private let counter: StageCounter?
  /// The values inside.
  @safe @exclusivity(unchecked) private(set) var count = 0
  @safe @exclusivity(unchecked) private var bytes = 0  // memory 6

  /// Makes one for a stage of this name, which the failure of one that holds too much has.
  init(of stage: String, in memoryBudget: MemoryBudget, counter: StageCounter? = nil) {
    self.memoryBudget = memoryBudget
    self.stage = stage
    self.counter = counter
  }

  deinit { clear() }

  /// Whether there is a place for a payload of so many bytes.
  func hasRoom(for count: Int) -> Bool { memoryBudget.hasRoom(for: 2 * Extent.header + count) }

  /// A value comes in; throws if there is no place for it.
  func enter(_ value: Value) throws(PipelineFailure) {
    try hold(value.footprint)
    gather(1)
  }

  /// A value has gone out, or has been dropped.
  func leave(_ value: Value) {
    release(value.footprint)
    gather(-1)
  }

  /// The value is the only one inside now.
  func replace(with value: Value) throws(PipelineFailure) {
    let size = value.footprint
    if size > bytes {
      try hold(size - bytes)
    } else if size < bytes {
      release(bytes - size)
    }
    gather(1 - count)
  }

  /// There is one inside, which may be this value, or is none that is larger.
  func replace(atMost value: Value) throws(PipelineFailure) {
    let size = value.footprint
    if size > bytes { try hold(size - bytes) }
    gather(1 - count)
  }

  func hold(_ size: Int) throws(PipelineFailure) {
    try memoryBudget.hold(size, in: stage)
    bytes += size
  }

  func release(_ size: Int) {
    let size = min(bytes, size)
    memoryBudget.release(size)
    bytes -= size
  }

  /// The value goes out, and leaves nothing.
  func letGo(of value: Value) -> Value {
    clear()
    return value
  }

  /// Nothing is inside any more.
  func clear() {
    uncount()
    guard bytes > 0 else { return }
    memoryBudget.release(bytes)
    bytes = 0
  }

  /// What is inside has been dropped, though its memory is used until another value takes its place.
  func uncount() { gather(-count) }

  @inline(__always)
  private func gather(_ change: Int) {
    guard change != 0 else { return }
    count += change
    counter?.gather(change)
  }
}

/// How a stage keeps what comes to it.
enum Keeping {
  /// All of it, until it says otherwise.
  case all
  /// The newest value.
  case newest
  /// One value of all, whichever.
  case one
}

extension AnyPublisher where Output == Value, Failure == PipelineFailure {
  /// The same, for a stage that keeps what comes: `held` is charged with it.
  ///
  /// What is behind the stage has to keep `held`: the upstream may end long before its values go. With
  /// `work` the values wait where a turn has lasted long enough.
  func kept(_ keeping: Keeping, by held: HeldValues, pacedBy work: Work? = nil) -> Self {
    Stage(upstream: self, work: work) {
      // Whoever subscribes anew holds nothing of what was before.
      held.clear()
      return { (input, _) throws(PipelineFailure) in
        switch keeping {
        case .all: try held.enter(input.value)
        case .newest: try held.replace(with: input.value)
        case .one: try held.replace(atMost: input.value)
        }
        return .pass
      }
    }
    .eraseToAnyPublisher()
  }

  /// The same; what `held` has counted is given back when the subscription has gone.
  func keeping(_ held: HeldValues) -> Self {
    Stage(upstream: self) {
      { (_, _) throws(PipelineFailure) in withExtendedLifetime(held) { .pass } }
    }
    .eraseToAnyPublisher()
  }
}
