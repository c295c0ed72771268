internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// Keeps the server within its memory limit.
///
/// `MemoryBudget`, `Account` and `ReplayBuffer` charge each holder and limit it. Their sum says
/// little, because many may hold the same value; so the process's memory is measured after turns,
/// and the largest holders are ended until enough is free.
final class Ledger {
  /// The most memory of the process, in bytes.
  var limit: Int
  /// Whether memory is so short that large values go only to clients that read.
  private(set) var isShort = false {
    didSet { if isShort != oldValue { platform.joinFreeMemory(isShort) } }
  }
  /// Whether memory is so short that nothing new is opened or defined.
  ///
  /// Measures again before it says so, because the last measurement may be old, and returns free
  /// memory to the system first.
  var isFull: Bool {
    guard wasFull else { return false }
    if isMuch(taken) { giveBack() }
    if !isMuch(taken) { wasFull = false }
    return wasFull
  }
  /// Whether the last measurement said so.
  private var wasFull = false
  /// Bytes that subjects keep for later subscriptions.
  private(set) var kept = 0
  /// Bytes kept since the last measurement.
  private var growth = 0
  /// How many holders were ended for want of memory.
  private(set) var endings = 0

  @safe private unowned(unsafe) let engine: Engine  // memory 3: owns this
  private let platform: any Platform
  private var lastLook: Int64
  /// When free memory may be searched for again.
  private var nextTrim: Int64 = 0
  /// When free memory is next returned although no holder must be ended; rarely if it is little.
  private var nextReturn: Int64 = 0
  private var returnPause = Ledger.leastReturnPause
  /// Whether a later measurement is scheduled.
  private var isLookPlanned = false
  /// Whether a holder was ended since the last return of memory.
  private var hasRelieved = false
  private var walk: Walk?

  /// A survey of all clients, which may take several turns.
  private struct Walk {
    /// The clients that are still to be asked.
    var rest: [Client]
    var asked: [Holder] = []
  }

  init(engine: Engine) {
    self.engine = engine
    platform = engine.loop.platform
    limit = engine.configuration.memory
    lastLook = engine.now
  }

  /// The time between two measurements.
  private static let pause: Int64 = 5_000_000

  /// The least and the longest time between two returns of memory while no holder must be ended.
  private static let leastReturnPause: Int64 = 100_000_000
  private static let mostReturnPause: Int64 = 3_200_000_000

  var taken: Int { platform.residentMemory }

  /// Whether this is close to the limit.
  private func isMuch(_ bytes: Int) -> Bool { bytes > limit / 8 * 7 }

  /// Bytes held now, by kind of holder.
  var held: [(by: String, bytes: Int)] {
    let clients = engine.clients.all
    let runs = engine.registry.runs.reduce(0) { $0 + $1.bytes }
    let shared = engine.registry.pipelines.reduce(0) { $0 + $1.pipeline.sharedBytes }
    return [
      ("connections", clients.reduce(0) { $0 + $1.bytes }),
      ("pipelines", engine.streams.reduce(runs + shared) { $0 + $1.pipelineBytes }),
      ("subjects", engine.registry.subjects.reduce(0) { $0 + $1.bytes }),
      ("definitions", engine.registry.bytes),
    ]
  }

  /// The error when nothing new is accepted.
  var refusal: String {
    "the memory limit of \(limit >> 20) MiB is reached; try again later"
  }

  /// Whether `count` more bytes in this turn would be too much, as far as is known.
  func isShort(after count: Int) -> Bool {
    growth += count
    if growth > limit / 16 {
      growth = 0
      isShort = isMuch(taken)
    }
    return isShort
  }

  /// Measures the process's memory, but not after each turn.
  func turnEnds() {
    let now = engine.now
    guard now - lastLook >= Self.pause else { return }
    lastLook = now
    measure()
  }

  private func measure() {
    let resident = taken
    growth = 0
    isShort = isMuch(resident)
    if isShort { planLook() }
    guard resident > limit else {
      walk = nil
      if isShort, giveBack() { isShort = isMuch(taken) }
      if !isShort { wasFull = false }
      return
    }
    // Gives memory that is already being freed the time for that, as long as not much more comes.
    let isFreed = platform.wait(for: Disposal.group, atMost: 0)
    let isFar = resident > limit / 8 * 9
    guard isFar || isFreed else { return }
    let isTrimmed = engine.now >= nextTrim
    if isTrimmed { trim() }
    // Returns freed memory to the system before more holders are ended.
    guard isFar || isTrimmed || !hasRelieved else { return }
    let rest = isTrimmed ? taken : resident
    guard rest > limit else { return walk = nil }
    if let holders = surveyHolders() { relieve(rest - limit / 4 * 3, among: holders) }
  }

  /// Measures again in a second, even without activity: large holders may have gone.
  private func planLook() {
    guard !isLookPlanned else { return }
    isLookPlanned = true
    engine.clock.schedule(after: engine.clock.now.advanced(by: .seconds(1))) { [weak self] in
      guard let self else { return }
      isLookPlanned = false
      if isShort { planLook() }
      turnEnds()
    }
  }

  /// Returns free memory unless it did so recently; says whether it did.
  @discardableResult
  private func giveBack() -> Bool {
    guard engine.now >= nextReturn else { return false }
    let before = taken
    trim()
    let isMuch = before - taken > limit / 32
    returnPause = isMuch ? Self.leastReturnPause : min(2 * returnPause, Self.mostReturnPause)
    nextReturn = max(nextTrim, engine.now + returnPause)
    return true
  }

  /// Returns free memory to the system, which takes long if there is much.
  private func trim() {
    let begin = engine.loop.now
    platform.trimMemory()
    let took = Int64(clamping: engine.loop.now &- begin)
    nextTrim = engine.now + max(4 * Self.pause, 8 * took)
    hasRelieved = false
  }

  /// Ends the largest holders until they held `excess` bytes, spread over several turns.
  private func relieve(_ excess: Int, among holders: [Holder]) {
    var holders = holders
    // Ending holders cannot free memory that is not charged to any.
    let held = holders.reduce(0) { $0 + $1.bytes }
    let wanted = min(excess, Self.mostAtOnce)
    let excess = min(wanted, held - limit / 4)
    var freed = 0
    // Small holders did not make the server short of memory, and are spared.
    let most = holders.lazy.map(\.bytes).max() ?? 0
    let least = max(Self.least, most / 64)
    let deadline = engine.loop.now &+ UInt64(Self.pause)
    var isCut = false
    while freed < excess, !isCut,
      let index = holders.indices.max(by: { holders[$0].bytes < holders[$1].bytes }),
      holders[index].bytes > least
    {
      let bytes = holders[index].end(engine.configuration)
      holders[index].bytes -= bytes
      freed += bytes
      endings += 1
      isCut = engine.loop.now > deadline
    }
    wasFull = freed < wanted && !isCut
    // The next turn uses what is known of clients; the others are asked again.
    if isCut { walk = Walk(rest: [], asked: holders.filter(\.isClient)) }
    if freed > 0 {
      hasRelieved = !isCut
      engine.log(
        .warning,
        "short-of-memory",
        "short of memory: ended the largest holders, \(freed >> 20) MiB",
        [.number("bytes", freed)]
      )
    }
  }

  /// How many bytes one turn frees, except for its last holder.
  private static let mostAtOnce = 64 << 20

  /// Holders of fewer bytes are not worth ending.
  private static let least = 64 << 10

  /// Asks all holders; nil while there are more than one turn can ask.
  ///
  /// Asking a hundred thousand streams takes long.
  private func surveyHolders() -> [Holder]? {
    var walk = self.walk.take() ?? Walk(rest: engine.clients.inOrder)
    let deadline = engine.loop.now &+ UInt64(Self.pause)
    while let client = walk.rest.popLast() {
      walk.asked.append(Holder(.client(client)))
      if !walk.rest.isEmpty, engine.loop.now > deadline {
        self.walk = walk
        return nil
      }
    }
    return walk.asked.filter(\.isThere)
      + engine.registry.runs.map { Holder(.run($0)) }
      + engine.registry.pipelines.map { Holder(.pipeline($0.name, $0.pipeline, engine)) }
      + engine.registry.subjects.map { Holder(.subject($0, engine)) }
  }

  /// Adds `change` to the kept bytes, of which all subjects may have half of the limit.
  func keptChanged(by change: Int) {
    kept += change
    guard kept > limit / 2 else { return }
    // A bit below half, so that not each new value searches all subjects.
    let most = limit / 16 * 7
    var subjects = engine.registry.subjects.filter { ($0.kept?.count ?? 0) > 0 }
    subjects.sort { ($0.kept?.bytes ?? 0) < ($1.kept?.bytes ?? 0) }
    while kept > most, let subject = subjects.popLast() {
      // Drops the older half, so that not each new value searches again.
      kept -= subject.dropOldest(downTo: (subject.kept?.bytes ?? 0) / 2)
    }
  }
}
