internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// Sees to it that the server takes no more memory than it may.
///
/// What is kept for somebody is charged to him where it is kept (`MemoryBudget`, `Account`,
/// `ReplayBuffer`), and each has a ceiling there. Whether all of them together are too much is not
/// added up, since many may keep the very same value: it is measured, after turns, and then those
/// who are charged most are ended until enough is free.
final class Ledger {
  /// What the process may take.
  var limit: Int
  /// So much is taken that large values are written only to those who read.
  private(set) var isShort = false {
    didSet { if isShort != oldValue { platform.joinFreeMemory(isShort) } }
  }
  /// Whether so much is taken that nothing new is opened or defined.
  ///
  /// The last look may be long ago, since nothing has happened meanwhile; and what is free goes back
  /// to the system before anybody is refused.
  var isFull: Bool {
    guard wasFull else { return false }
    if isMuch(taken) { giveBack() }
    if !isMuch(taken) { wasFull = false }
    return wasFull
  }
  /// Whether the last look has found it so.
  private var wasFull = false
  /// What subjects keep for those who come later.
  private(set) var kept = 0
  /// What was kept since the last look.
  private var growth = 0
  /// How often somebody was ended for want of memory.
  private(set) var endings = 0

  @safe private unowned(unsafe) let engine: Engine  // memory 3: owns this
  private let platform: any Platform
  private var lastLook: Int64
  /// When all that is allocated may be gone through again.
  private var nextTrim: Int64 = 0
  /// When what is free is given back again though nobody has to be ended: seldom while it is little.
  private var nextReturn: Int64 = 0
  private var returnPause = Ledger.leastReturnPause
  /// Whether another look comes though nothing happens.
  private var isLookPlanned = false
  /// Whether somebody was ended since.
  private var hasRelieved = false
  private var walk: Walk?

  /// A walk through all clients, which may take several turns.
  private struct Walk {
    /// Those who are still to be asked what they hold.
    var rest: [Client]
    var asked: [Holder] = []
  }

  init(engine: Engine) {
    self.engine = engine
    platform = engine.loop.platform
    limit = engine.configuration.memory
    lastLook = engine.now
  }

  /// The time between two looks.
  private static let pause: Int64 = 5_000_000

  /// The time between two returns of what is free, at least and at most, as long as nobody has to be
  /// ended.
  private static let leastReturnPause: Int64 = 100_000_000
  private static let mostReturnPause: Int64 = 3_200_000_000

  /// What the process takes now.
  var taken: Int { platform.residentMemory }

  /// Whether so much is near to what may be taken.
  private func isMuch(_ bytes: Int) -> Bool { bytes > limit / 8 * 7 }

  /// What is held now, by sort of holder.
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

  /// What is said when nothing new is taken.
  var refusal: String {
    "the memory limit of \(limit >> 20) MiB is reached; try again later"
  }

  /// So much more is being kept in this turn: whether that is too much, as far as is known.
  func isShort(after count: Int) -> Bool {
    growth += count
    if growth > limit / 16 {
      growth = 0
      isShort = isMuch(taken)
    }
    return isShort
  }

  /// Looks at what the process takes, not after each turn.
  func turnEnds() {
    let now = engine.now
    guard now - lastLook >= Self.pause else { return }
    lastLook = now
    look()
  }

  private func look() {
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
    // What is being freed already is left the time for that, as long as not much more comes.
    let isFreed = platform.wait(for: Disposal.group, atMost: 0)
    let isFar = resident > limit / 8 * 9
    guard isFar || isFreed else { return }
    let isTrimmed = engine.now >= nextTrim
    if isTrimmed { trim() }
    // What has been freed is to go back to the system before others are ended.
    guard isFar || isTrimmed || !hasRelieved else { return }
    let rest = isTrimmed ? taken : resident
    guard rest > limit else { return walk = nil }
    if let holders = surveyHolders() { relieve(rest - limit / 4 * 3, among: holders) }
  }

  /// Looks again in a second, though nothing may happen until then: those who held much have gone,
  /// perhaps.
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

  /// Gives back what is free, if that was not done a short time ago; says whether it did.
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

  /// Gives what is free back to the system, which takes long where there is much.
  private func trim() {
    let begin = engine.loop.now
    platform.trimMemory()
    let took = Int64(clamping: engine.loop.now &- begin)
    nextTrim = engine.now + max(4 * Self.pause, 8 * took)
    hasRelieved = false
  }

  /// Ends those who hold most, until what they held is `excess` bytes; the rest of them later, since
  /// to end many takes long.
  private func relieve(_ excess: Int, among holders: [Holder]) {
    var holders = holders
    // What nobody is charged with is not had back by ending anybody.
    let held = holders.reduce(0) { $0 + $1.bytes }
    let wanted = min(excess, Self.mostAtOnce)
    let excess = min(wanted, held - limit / 4)
    var freed = 0
    // Who holds little beside others has not made the server short, and is left alone.
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
    // What is known of them is used in the next turn; others are asked anew.
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

  /// What is freed in one turn, at most, but for the last of those who held it.
  private static let mostAtOnce = 64 << 20

  /// Who holds less is not worth ending.
  private static let least = 64 << 10

  /// Everybody who may be made to give something up; nil as long as there are more than can be asked
  /// in one turn, since to ask a hundred thousand streams takes long.
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

  /// A subject keeps more, or less; together they keep half of what the server may take.
  func keptChanged(by change: Int) {
    kept += change
    guard kept > limit / 2 else { return }
    // Some more, so that not each value that comes goes through all subjects.
    let most = limit / 16 * 7
    var subjects = engine.registry.subjects.filter { ($0.kept?.count ?? 0) > 0 }
    subjects.sort { ($0.kept?.bytes ?? 0) < ($1.kept?.bytes ?? 0) }
    while kept > most, let subject = subjects.popLast() {
      // Its oldest half, so that not each value that comes looks for another one.
      kept -= subject.dropOldest(downTo: (subject.kept?.bytes ?? 0) / 2)
    }
  }
}
