internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// The inputs of a run, which are acknowledged when all that came of them is stored.
extension SharedRun {
  // MARK: Inputs that come again

  /// How many inputs more may come before nothing is inside, if that is waited for.
  var room: Int { resume == .again ? Self.mostOpen - open : .max }

  /// After how many inputs it waits until nothing is inside.
  private static let mostOpen = 256

  /// Acknowledges all inputs, if nothing is inside and all that came of them is stored.
  func settleIfQuiet() {
    guard open > 0, let last = lastOpen else { return }
    guard run.isQuiet else { return shared.watch(self) }
    open = 0
    lastOpen = nil
    sources.first?.inlet.acknowledge(upTo: last)
  }

  // MARK: Inputs and outputs of an exact run

  /// How many outputs may wait until they are stored: few before it is known how large they are.
  var window: Int {
    let outputs = shared[run.standing.target]?.outbox.largest ?? 0
    let most = seen < Self.fewest ? Self.fewest : Self.mostOutputs
    return max(1, min(most, Self.mostBytes / max(outputs, largest, 1)))
  }

  /// How many are not stored.
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

  /// Stores what comes of the input that is being handed on, once: a repetition is known by the input.
  func store(_ bytes: UnsafeRawBufferPointer, at target: String) {
    guard let outbox = shared[target]?.outbox else { return }
    guard let input = inputs.current else {
      // Nothing is to be lost in silence, should a stage ever keep a value back.
      return run.fail(.upstream, "an output came when its value had been handed on already")
    }
    let id = "\(run.name).\(state.identity).\(input)"
    guard unsafe outbox.put(bytes, id: id, by: outputs) else {
      return run.fail(.valueTooLong, "a value is too long for NATS")
    }
    inputs.addOutput()
  }

  /// Acknowledges the inputs all of whose outputs are stored.
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

  /// What hears of outputs since the run began here, and of none from before.
  final class Outputs: ValueSender {
    weak var run: SharedRun?

    init(_ run: SharedRun) { self.run = run }

    func kept(_ count: Int, at sequence: UInt64?) { run?.kept(count) }

    func notKept(_ count: Int, _ reason: ErrorCode) { run?.notKept() }
  }
}
