internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// How far the publishers of a `flow=slowest` subject may be ahead of its slowest subscription.
///
/// What all consumers have acknowledged is purged; the rest of the stream is what they hold up.
final class Room {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  /// How many values may wait.
  let size: Int
  /// The last value that is known to be stored.
  private(set) var last: UInt64 = 0
  /// The last value that NATS has ever reported as stored or delivered to this server; it never decreases.
  private(set) var newest: UInt64 = 0
  /// The last value that NATS has announced as pending; it may have been purged meanwhile.
  private(set) var announced: UInt64 = 0
  /// The last value that nobody needs any more.
  private(set) var floor: UInt64 = 0
  /// The last value that no consumer needed any more when this server came.
  private(set) var oldFloor: UInt64 = 0
  private var isLooking = false
  private var waitsToLook = false
  private var backoff = Backoff(5_000_000, 100_000_000)
  private var whenLooked: [([ConsumerPage.Row]?) -> Void] = []
  /// Whether it was looked what a process has left behind that has died and was at this address.
  private var hasLookedBehind = false
  private lazy var absent = AbsentReaders(shared)

  init(_ shared: SharedSubject) {
    self.shared = shared
    size = shared.nats.room ?? 4096
  }

  /// What has gone out through consumers of this server that are to be deleted, which NATS may not have heard of.
  var goneOut: [String: UInt64] = [:]

  /// Whether this server has looked how far the consumers are, as those do that publish.
  private(set) var isLookedAfter = false
  /// Who was found furthest behind when this server looked last.
  private(set) var slowest: BackendReader?

  /// How many values wait for the slowest subscription.
  var used: Int { max(0, Int(clamping: last - min(floor, last)) - shared.ends) }

  /// How many values more may be stored now.
  var leftNow: Int { shared.isLossless ? max(0, size - used) : .max }

  /// How many values more publishers may send, beside those that are not stored yet.
  func left(beside count: Int) -> Int {
    guard shared.isLossless else { return .max }
    let left = max(0, size - used - count)
    // Looked at before it is used up, so that nobody waits for it who need not.
    if left <= size / 2, count > 0 || (left == 0 && shared.intake.isWaitedFor) { look() }
    return left
  }

  /// The stream is like this.
  func note(_ answer: StreamAnswer) {
    newest = max(newest, answer.last)
    last = max(last, answer.last)
    if answer.last < floor { (last, floor) = (answer.last, answer.last) }
    // Those that are kept are no longer waited for, or no more than those.
    floor = max(floor, min(last, answer.first - 1 + UInt64(shared.settings.keptCount)))
  }

  func stored(upTo sequence: UInt64) {
    newest = max(newest, sequence)
    last = max(last, sequence)
  }

  /// NATS has delivered the value at `sequence`, and says that `count` more are pending behind it.
  func received(_ sequence: UInt64, pending count: UInt64) {
    stored(upTo: sequence)
    announced = max(announced, sequence + count)
  }

  /// Looks how far the consumers are, and has purged what none of them needs, now or soon.
  func look() {
    guard shared.isLossless, shared.stream != nil, !isLooking, !waitsToLook else { return }
    guard hasLookedBehind else { return deleteLeftBehind {} }
    isLooking = true
    list([]) { [weak self] rows in self?.found(rows) }
  }

  /// Looks how far the consumers are; `done` is told when what can be purged is, with what there was.
  func look(_ done: @escaping ([ConsumerPage.Row]?) -> Void) {
    whenLooked.append(done)
    guard !isLooking else { return }
    isLooking = true
    list([]) { [weak self] rows in self?.found(rows) }
  }

  /// Lists all consumers; nil if one cannot be asked, or comes or goes meanwhile.
  private func list(
    _ rows: [ConsumerPage.Row],
    _ done: @escaping ([ConsumerPage.Row]?) -> Void
  ) {
    let request = shared.names.listConsumers(of: shared.name, from: rows.count)
    shared.link.request(request, within: JetStream.patience) { [weak self] reply in
      guard let self, let page = try? ConsumerPage(reply), page.isWhole else { return done(nil) }
      let all = rows + page.rows
      if all.count < page.total, !page.rows.isEmpty { return list(all, done) }
      done(all.count == page.total ? readers(among: all) : nil)
    }
  }

  /// The consumers that read; those of Flow have been where they begin or have acknowledged, so the stream had that.
  private func readers(among rows: [ConsumerPage.Row]) -> [ConsumerPage.Row] {
    for row in rows where row.server != nil { newest = max(newest, row.floor) }
    return rows.filter { $0.name != JetStream.lossMark }
  }

  /// Learns how far Flow's consumers have been before this server was there; calls `done` also if they cannot be
  /// listed.
  func learnPlaces(_ done: @escaping () -> Void) {
    list([]) { [weak self] rows in
      if let self, shared.isLossless, let least = rows?.map(\.floor).min() {
        oldFloor = least
      }
      done()
    }
  }

  /// Has consumers deleted that a process has left which has died and was at this address; calls `done`
  /// when that is done, or cannot be.
  func deleteLeftBehind(tries: Int = 10, _ done: @escaping () -> Void) {
    guard shared.isLossless, !hasLookedBehind else { return done() }
    look { [weak self] rows in
      guard let self else { return done() }
      guard let rows else {
        done()
        // Consumers come and go at this moment.
        guard tries > 0 else { return }
        return shared.shared.after(100_000_000) { [weak self] in
          if let self, shared.stream != nil { deleteLeftBehind(tries: tries - 1) {} }
        }
      }
      hasLookedBehind = true
      absent.deleteLeftHere(among: rows, done)
    }
  }

  private func found(_ rows: [ConsumerPage.Row]?) {
    guard var rows else { return looked(nil, false) }
    for row in rows { announced = max(announced, row.floor + UInt64(row.behind)) }
    if shared.isLossless {
      // NATS counts what has come for a consumer a moment after it has said that it is stored.
      for place in rows.indices {
        rows[place].floor = max(rows[place].floor, goneOut[rows[place].name] ?? 0)
        let behind = Int(clamping: last - min(last, rows[place].floor))
        rows[place].behind = max(rows[place].behind, behind)
      }
    }
    let furthest = rows.max { $0.behind < $1.behind }
    slowest = furthest.flatMap { $0.behind > shared.ends ? BackendReader($0) : nil }
    guard shared.isLossless else { return looked(rows, false) }
    // Who only reads knows of no value that it has not read.
    for row in rows { last = max(last, row.floor + UInt64(row.behind)) }
    // Without a consumer nothing is purged: what there is waits for the first.
    guard let least = rows.map(\.floor).min() else { return findFirst() }
    let kept = UInt64(shared.settings.keptCount)
    last = max(last, least)
    let reached = min(least, last)
    absent.delete(among: rows.filter { $0.behind > size / 2 })
    let purged = min(reached, last > kept ? last - kept : 0)
    guard reached > floor else { return looked(rows, false) }
    guard purged > 0 else {
      floor = reached
      return looked(rows, true)
    }
    if shared.outbox.isUncertain, whenLooked.isEmpty { return looked(rows, false) }
    let request = shared.names.purge(shared.name, before: purged + 1)
    shared.link.request(request) { [weak self] reply in
      guard let self else { return }
      let isDone = JetStreamError(reply) == nil
      if isDone { floor = max(floor, reached) }
      looked(isDone ? rows : nil, isDone)
    }
  }

  /// Looks what is there: the last consumer may have had the rest purged, by another server.
  private func findFirst() {
    shared.link.request(shared.names.info(shared.name), within: JetStream.patience) {
      [weak self] reply in
      guard let self else { return }
      let before = floor
      if let stream = try? StreamAnswer(reply) { note(stream) }
      looked([], floor > before)
    }
  }

  private func looked(_ rows: [ConsumerPage.Row]?, _ gained: Bool) {
    isLooking = false
    if rows != nil { isLookedAfter = true }
    let waiting = whenLooked
    whenLooked.removeAll()
    for done in waiting { done(rows) }
    if gained {
      backoff.reset()
      return shared.scheduleEndOfTurn()
    }
    waitsToLook = true
    shared.shared.after(backoff.next()) { [weak self] in
      guard let self else { return }
      waitsToLook = false
      shared.scheduleEndOfTurn()
    }
  }
}
