internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// The inputs of a run, acknowledged when all their outputs are stored.
extension SharedRun {
  /// How many more inputs may come before the stages must be empty, with `resume=again`.
  var room: Int { resume == .again ? Self.mostOpen - open : .max }

  /// After how many inputs it waits for empty stages.
  private static let mostOpen = 256

  /// Acknowledges all inputs, if the stages are empty and all outputs are stored.
  func settleIfQuiet() {
    guard open > 0, let last = lastOpen else { return }
    guard run.isQuiet else { return shared.watch(self) }
    open = 0
    lastOpen = nil
    sources.first?.inlet.acknowledge(upTo: last)
  }

  /// How many outputs may wait to be stored; few until their size is known.
  var window: Int {
    let outputs = shared[run.standing.target]?.outbox.largest ?? 0
    let most = seen < Self.fewest ? Self.fewest : Self.mostOutputs
    return max(1, min(most, Self.mostBytes / max(outputs, largest, 1)))
  }

  var unstored: Int { inputs.unstored }

  private static let fewest = 16
  private static let mostOutputs = 512
  private static let mostBytes = 4 << 20

  func comes(_ sequence: UInt64, _ count: Int) {
    guard resume == .exact else { return }
    inputs.come(sequence)
    seen += 1
    largest = max(largest, count)
  }

  func handed(_ sequence: UInt64) {
    guard resume == .again else {
      inputs.wasHanded()
      settle()
      return run.askMore()
    }
    if open == 0 { shared.watch(self) }
    open += 1
    lastOpen = sequence
  }

  /// Stores an output of the current input once; the input identifies a repetition.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String) {
    guard let outbox = shared[target]?.outbox else { return }
    guard let input = inputs.current else {
      // Fails instead of losing a value, should a stage ever delay one.
      return run.fail(.upstream, "an output came when its value had been handed on already")
    }
    let id = "\(run.name).\(state.identity).\(input)"
    guard unsafe outbox.put(bytes, id: id, by: outputs) else {
      return run.fail(.valueTooLong, "a value is too long for NATS")
    }
    inputs.addOutput()
  }

  private func settle() {
    if let last = inputs.takeSettled() { sources.first?.inlet.acknowledge(upTo: last) }
  }

  private func kept(_ count: Int) {
    inputs.store(count)
    settle()
    run.askMore()
    if inputs.unstored == 0 { whenStored.take()?() }
  }

  private func notKept() {
    whenStored = nil
    yieldLease()
  }

  /// Receives the outcome of outputs since the run last began here.
  final class Outputs: ValueSender {
    weak var run: SharedRun?

    init(_ run: SharedRun) { self.run = run }

    func kept(_ count: Int, at sequence: UInt64?) { run?.kept(count) }

    func notKept(_ count: Int, _ reason: ErrorCode) { run?.notKept() }
  }
}
