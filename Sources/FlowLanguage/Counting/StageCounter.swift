public import FlowCore

/// The counters of one run of a pipeline, one for each stage: what has passed between it and the
/// next one.
///
/// They are touched where the pipeline runs.
public struct StageCounters {
  private let storage: ManagedBuffer<Header, StageCounter.Figures>

  private struct Header {
    let count: Int
    /// What has come from the publishers below a stage that it subscribes to at once.
    var below: [UInt16: StageCounters] = [:]
    /// Who looks on at what a stage sends.
    var viewers: [UInt16: any StageViewer] = [:]
  }

  /// One object for all of them, since each of thousands of streams has some.
  private final class Storage: ManagedBuffer<Header, StageCounter.Figures> {
    deinit {
      _ = unsafe withUnsafeMutablePointers { unsafe $1.deinitialize(count: $0.pointee.count) }
    }
  }

  /// Makes counters for so many stages, those of inlined pipelines included.
  public init(count: Int) {
    storage = Storage.create(minimumCapacity: count) { _ in Header(count: count) }
    unsafe storage.withUnsafeMutablePointerToElements {
      unsafe $0.initialize(repeating: .init(), count: count)
    }
  }

  subscript(stage: Int) -> StageCounter {
    precondition(stage < storage.header.count)
    return StageCounter(counters: self, stage: UInt16(stage))
  }

  @inline(__always)
  fileprivate func with<R>(_ stage: UInt16, _ body: (inout StageCounter.Figures) -> R) -> R {
    unsafe storage.withUnsafeMutablePointerToElements { unsafe body(&$0[Int(stage)]) }
  }

  /// Tells the counters of different runs apart as long as they are held.
  public var id: ObjectIdentifier { ObjectIdentifier(storage) }

  fileprivate var below: [UInt16: StageCounters] {
    get { storage.header.below }
    nonmutating set { storage.header.below = newValue }
  }

  fileprivate var viewers: [UInt16: any StageViewer] {
    get { storage.header.viewers }
    nonmutating set { storage.header.viewers = newValue }
  }
}

extension StageCounters {
  /// The figures of a stage, whose operator keeps to `rule`.
  func figures(at index: Int, _ rule: StageRule) -> StageFigures {
    precondition(index < storage.header.count)
    var figures = StageFigures()
    var (above, failedBelow) = (0, 0)
    let (left, gathered, lost) = unsafe storage.withUnsafeMutablePointerToElements { all in
      let own = unsafe all + index
      figures.sent = unsafe own.pointee.sent
      figures.dropped = unsafe own.pointee.dropped
      figures.failed = unsafe own.pointee.failed
      failedBelow = unsafe own.pointee.failedBelow
      figures.demand = unsafe own.pointee.demand
      if rule.holds, let holder = unsafe own.pointee.holder {
        figures.held = holder.heldCount
        if rule.makesValues { figures.publishers = holder.publisherCount }
      }
      if !rule.isSource { above = unsafe all[index - 1].sent }
      return unsafe (own.pointee.left, own.pointee.gathered, own.pointee.lost)
    }
    let below = storage.header.below.isEmpty ? nil : self[index].below
    if rule.isSource {
      // Only a source that joins subjects holds values, and has others below it.
      figures.dropped += below?.dropped ?? 0
      figures.left = rule.holds ? left : 0
      figures.taken = figures.sent + figures.dropped + figures.held + figures.left
    } else if rule.isAfterShare {
      // What others have sent before this subscription began is not for it.
      figures.taken = figures.sent + figures.dropped
    } else {
      figures.taken = above + (below?.sent ?? 0)
      rule.balance(&figures, left: left, gathered: gathered, lost: lost)
    }
    // The publishers below have made these values, and the stage has not got them.
    figures.made += failedBelow
    figures.dropped += failedBelow
    figures.failed += failedBelow
    return figures
  }
}

extension StageCounters {
  // A host's subjects count for themselves what they send and miss: a subject is the first stage.
  private var source: StageCounter { StageCounter(counters: self, stage: 0) }

  /// Counts values that the source sends, before it does.
  public func sent(_ count: Int) { source.send(count) }

  /// Adds to what is asked of the source.
  public func asked(_ more: Subscribers.Demand) { source.ask(more) }

  /// Counts values that the source had and that were not asked for in time.
  public func missed(_ count: Int) { source.drop(count) }

  /// Nothing more comes of what was asked of the source.
  public func sourceEnded() { source.end() }
}

/// What has passed between one stage of a running pipeline and the next.
struct StageCounter {
  fileprivate let counters: StageCounters
  fileprivate let stage: UInt16

  fileprivate struct Figures {
    var sent = 0
    var demand = 0
    var dropped = 0
    var failed = 0
    /// The same of the stages below.
    var failedBelow = 0
    /// Values that were inside the stage's subscription when that ended, if it may hold some.
    var left = 0
    var gathered = 0
    /// Such values as were gathered when the stage's subscription ended.
    var lost = 0
    var holder: (any ValueHolder)?
    var exit: StageExit?
  }

  /// Values that the stage has sent.
  var sent: Int { counters.with(stage) { $0.sent } }

  /// Asked of the stage and not sent yet; `Int.max` is no limit.
  var demand: Int { counters.with(stage) { $0.demand } }

  /// Values that the stage has dropped.
  var dropped: Int { counters.with(stage) { $0.dropped } }

  /// Values inside that something else is to be made of.
  var gathered: Int { counters.with(stage) { $0.gathered } }

  /// So many more values that something is to be made of are inside; fewer, if it is below 0.
  func gather(_ count: Int) {
    counters.with(stage) { $0.gathered = max(0, $0.gathered + count) }
  }

  /// The stage's subscription, if it may hold values, until it ends.
  var holder: (any ValueHolder)? {
    get { counters.with(stage) { $0.holder } }
    nonmutating set { counters.with(stage) { $0.holder = newValue } }
  }

  /// What has come from the publishers below the stage that it subscribes to at once.
  var below: StageCounter? { counters.below[stage]?[0] }

  /// Counts values, before they are handed on.
  @inline(__always)
  func send(_ count: Int = 1) {
    counters.with(stage) {
      $0.sent &+= count
      if $0.demand != .max { $0.demand &-= count }
    }
  }

  /// Adds to the demand.
  @inline(__always)
  func ask(_ more: Subscribers.Demand) {
    guard more > .none else { return }
    counters.with(stage) { $0.demand = addDemand($0.demand, more.max ?? .max) }
  }

  /// Counts values that the stage drops.
  func drop(_ count: Int) { counters.with(stage) { $0.dropped += count } }

  /// Counts a value that the stage drops since its closure has no answer for it.
  func leaveOut() {
    counters.with(stage) {
      $0.dropped += 1
      $0.failed += 1
    }
  }

  /// Counts a value that a stage below drops since its closure has no answer for it.
  func leaveOutBelow() { counters.with(stage) { $0.failedBelow += 1 } }

  /// The counter of what comes from below, from now on.
  func countBelow() -> StageCounter { countersBelow()[0] }

  /// The same, for the subjects of a host.
  func countersBelow() -> StageCounters {
    if let below = counters.below[stage] { return below }
    let below = StageCounters(count: 1)
    counters.below[stage] = below
    return below
  }

  /// The stage sends by way of `exit` until that ends.
  func begins(_ exit: StageExit) {
    counters.with(stage) { $0.exit = exit }
    if let viewer = counters.viewers[stage] { exit.show(to: viewer) }
  }

  /// Has `viewer` look on at what the stage sends; nil for nobody.
  func show(to viewer: (any StageViewer)?) {
    counters.viewers[stage] = viewer
    counters.with(stage) { $0.exit }?.show(to: viewer)
  }

  /// Nothing more comes of what was requested.
  func end(_ exit: StageExit? = nil) {
    // They may go with it.
    let (holder, old) = (holder, counters.with(stage) { $0.exit })
    let left = holder?.heldCount ?? 0
    counters.with(stage) {
      $0.demand = 0
      $0.left += left
      $0.lost += $0.gathered
      $0.gathered = 0
      $0.holder = nil
      if exit == nil || $0.exit === exit { $0.exit = nil }
    }
    withExtendedLifetime((holder, old)) {}
  }
}
