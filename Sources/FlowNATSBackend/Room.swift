internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Limits how far publishers of a `flow=slowest` subject may be ahead of the slowest reader.
///
/// Values that all consumers have acknowledged are purged; the rest of the stream waits for some
/// consumer.
final class Room {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  let size: Int
  /// The last sequence known to be stored.
  private(set) var last: UInt64 = 0
  /// The highest sequence that NATS has ever reported to this server.
  private(set) var newest: UInt64 = 0
  /// The last value that NATS has announced as pending; it may be purged by now.
  private(set) var announced: UInt64 = 0
  /// The last value that no consumer needs.
  private(set) var floor: UInt64 = 0
  /// The last value that no consumer needed when this server started.
  private(set) var oldFloor: UInt64 = 0
  private var isLooking = false
  private var waitsToLook = false
  private var backoff = Backoff(5_000_000, 100_000_000)
  private let whenLooked = Waiters<[ConsumerPage.Row]?>()
  /// Whether it was looked what a process has left behind that has died and was at this address.
  private var hasLookedBehind = false
  private lazy var absent = AbsentReaders(shared)

  init(_ shared: SharedSubject) {
    self.shared = shared
    size = shared.nats.room ?? 4096
  }

  /// Delivered sequences of consumers that are about to be deleted; NATS may not know of them.
  var goneOut: [String: UInt64] = [:]

  /// Whether this server has ever checked the consumers, as publishing servers do.
  private(set) var isLookedAfter = false
  /// The slowest reader at the last check.
  private(set) var slowest: BackendReader?

  /// How many values wait for the slowest reader.
  var used: Int { max(0, Int(clamping: last - min(floor, last)) - shared.ends) }

  /// How many more values may be stored now.
  var leftNow: Int { shared.isLossless ? max(0, size - used) : .max }

  /// How many more values publishers may send, besides `count` unstored ones.
  func left(beside count: Int) -> Int {
    guard shared.isLossless else { return .max }
    let left = max(0, size - used - count)
    // Checks early, so that no publisher waits without need.
    if left <= size / 2, count > 0 || (left == 0 && shared.intake.isWaitedFor) { checkReaders() }
    return left
  }

  /// Takes the stream's state.
  func note(_ answer: StreamAnswer) {
    newest = max(newest, answer.last)
    last = max(last, answer.last)
    if answer.last < floor { (last, floor) = (answer.last, answer.last) }
    // At most the kept values are still waited for.
    floor = max(floor, min(last, answer.first - 1 + UInt64(shared.settings.keptCount)))
  }

  func stored(upTo sequence: UInt64) {
    newest = max(newest, sequence)
    last = max(last, sequence)
  }

  /// Records a delivered value, with `count` pending ones behind it.
  func received(_ sequence: UInt64, pending count: UInt64) {
    stored(upTo: sequence)
    announced = max(announced, sequence + count)
  }

  /// Checks the consumers and purges what none needs, now or soon.
  func checkReaders() {
    guard shared.isLossless, shared.stream != nil, !isLooking, !waitsToLook else { return }
    guard hasLookedBehind else { return deleteLeftBehind {} }
    isLooking = true
    list([]) { [weak self] rows in self?.found(rows) }
  }

  /// Checks the consumers and purges; then calls `done` with the list.
  func checkReaders(_ done: @escaping ([ConsumerPage.Row]?) -> Void) {
    whenLooked.add(done)
    guard !isLooking else { return }
    isLooking = true
    list([]) { [weak self] rows in self?.found(rows) }
  }

  /// Lists all consumers; nil if one cannot be asked or they change meanwhile.
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

  /// The consumers that read; those of Flow have started or acknowledged at a known value.
  private func readers(among rows: [ConsumerPage.Row]) -> [ConsumerPage.Row] {
    for row in rows where row.server != nil { newest = max(newest, row.floor) }
    return rows.filter { $0.name != JetStream.lossMark }
  }

  /// Learns the positions of earlier consumers, if possible, then calls `done`.
  func learnPlaces(_ done: @escaping () -> Void) {
    list([]) { [weak self] rows in
      if let self, shared.isLossless, let least = rows?.map(\.floor).min() {
        oldFloor = least
      }
      done()
    }
  }

  /// Deletes consumers of a dead process at this address, then calls `done` in any case.
  func deleteLeftBehind(tries: Int = 10, _ done: @escaping () -> Void) {
    guard shared.isLossless, !hasLookedBehind else { return done() }
    checkReaders { [weak self] rows in
      guard let self else { return done() }
      guard let rows else {
        done()
        // Consumers are being added or removed.
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
      // NATS updates a consumer's count slightly after it confirms a value.
      for place in rows.indices {
        rows[place].floor = max(rows[place].floor, goneOut[rows[place].name] ?? 0)
        let behind = Int(clamping: last - min(last, rows[place].floor))
        rows[place].behind = max(rows[place].behind, behind)
      }
    }
    let furthest = rows.max { $0.behind < $1.behind }
    slowest = furthest.flatMap { $0.behind > shared.ends ? BackendReader($0) : nil }
    guard shared.isLossless else { return looked(rows, false) }
    // A server that only reads learns of unread values here.
    for row in rows { last = max(last, row.floor + UInt64(row.behind)) }
    // Without a consumer nothing is purged: all values wait for the first one.
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

  /// Asks for the first sequence: another server's last consumer may have had the rest purged.
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
    whenLooked.answer(rows)
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
