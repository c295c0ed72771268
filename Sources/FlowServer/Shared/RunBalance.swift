internal import FlowNATS

/// Shares runs out among servers: one that has two less than another asks it for one.
///
/// Only runs that give each output once, whoever carries them out, are moved so. One server asks for one
/// run at a time, so that all come to rest.
final class RunBalance {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubjects
  private var isScheduled = false
  /// Which run was looked at last.
  private var last = ""
  private var counted = 0
  private var countedAt = Int64.min / 2

  init(_ shared: SharedSubjects) { self.shared = shared }

  /// How many runs this server has that might be another's.
  ///
  /// Counted anew once a second: each lease tells it that is renewed.
  var count: Int {
    if shared.now - countedAt >= 1_000_000_000 {
      counted = shared.runs.count { $0.shared?.isHeld == true && $0.isRunning }
      countedAt = shared.now
    }
    return counted
  }

  /// Where this process is asked to hand over a run.
  var address: String { address(of: shared.link.epoch) }

  private func address(of epoch: String) -> String { shared.names.talk(epoch, "run") }

  /// How often is looked whether others have more, in nanoseconds.
  private static let period: Int64 = 5_000_000_000
  /// For how long a run that is handed over is the other server's to take, in nanoseconds.
  static let pause: Int64 = 4_000_000_000

  /// Looks now and then, while there are runs.
  func schedule() {
    guard !isScheduled else { return }
    isScheduled = true
    shared.after(Self.period) { [weak self] in
      guard let self else { return }
      isScheduled = false
      guard !shared.isStopping, shared.runs.contains(where: { $0.shared?.isMovable == true }) else {
        return
      }
      schedule()
      if shared.link.isUp { look() }
    }
  }

  /// Looks how many runs the server has that has one of those which are elsewhere.
  private func look() {
    let elsewhere = shared.runs.filter {
      $0.shared?.isMovable == true && $0.shared?.isHeld == false
    }
    guard let run = elsewhere.first(where: { $0.name > last }) ?? elsewhere.first else { return }
    let name = run.name
    last = name
    shared.link.request(shared.names.findLease(name), within: JetStream.patience) {
      [weak self] reply in
      guard let self, let lease = LeaseEntry(reply), lease.epoch != shared.link.epoch,
        lease.count >= count + 2
      else { return }
      ask(lease.epoch, for: name)
    }
  }

  private func ask(_ epoch: String, for name: String) {
    shared.link.publish {
      $0.publish(address(of: epoch), Array("MOVE \(name) \(count)".utf8))
    }
    // It is given back within a round trip or two.
    for tenths in [1, 3, 6, 10, 20] {
      shared.after(Int64(tenths) * 100_000_000) { [weak self] in
        self?.shared.engine.registry.run(name)?.shared?.takeOver()
      }
    }
  }

  /// A server that has so many runs asks for one.
  func hear(_ message: String) {
    let words = message.split(separator: " ").map(String.init)
    guard words.count == 3, words[0] == "MOVE", let theirs = Int(words[2]), count >= theirs + 2,
      let run = shared.engine.registry.run(words[1])?.shared, run.isHeld, run.isMovable
    else { return }
    counted -= 1
    run.handOver()
  }
}
