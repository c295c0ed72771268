internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

// The inputs of a run, acknowledged when all their outputs are stored.
extension SharedRun {
  /// How many more inputs may come: before the stages must be empty with `resume=again`, and before
  /// dead letters, which need no demand, must be stored with `resume=exact`.
  var room: Int {
    switch resume {
    case .again: Self.mostOpen - open
    case .exact: run.standing.failed == nil ? .max : window - unstored
    case .fresh: .max
    }
  }

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
    let outputs = run.standing.outputs.compactMap { shared[$0]?.outbox.largest }.max() ?? 0
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
    unsafe store(bytes, as: .value, of: "\(run.name).\(state.identity)", in: outbox)
  }

  /// Stores a dead letter of the current input once, and fails the run if that cannot be.
  func store(_ leftOut: LeftOut, at name: String) {
    guard let subject = shared[name] else { return run.fail(Run.deleted(name)) }
    guard subject.subject.completion == nil, !subject.intake.takesNoMore else {
      return run.fail(Run.completed(name))
    }
    guard let letter = leftOut.letter(atMost: subject.longestValue) else {
      return fail(.valueTooLong, "a dead letter is too long for NATS")
    }
    let maker = "\(run.name).\(state.identity).failed"
    unsafe letter.withBytes {
      unsafe store($0, as: .letter, of: maker, in: subject.outbox)
    }
  }

  /// Stores what comes of the current input in `outbox`; readers find repetitions by the numbers of the
  /// same `maker`, which ascend.
  private func store(
    _ bytes: UnsafeRawBufferPointer,
    as kind: RunInputs.Output,
    of maker: String,
    in outbox: Outbox
  ) {
    guard let input = inputs.current else {
      // Fails instead of losing a value, should a stage ever delay one.
      return fail(.upstream, "an output came when its value had been handed on already")
    }
    let sender = kind == .value ? outputs : letters
    guard unsafe outbox.put(bytes, id: "\(maker).\(input)", by: sender) else {
      return fail(.valueTooLong, "a value is too long for NATS")
    }
    inputs.add(kind)
  }

  private func fail(_ code: ErrorCode, _ text: String) { run.fail(PipelineFailure(code, text)) }

  private func settle() {
    if let last = inputs.takeSettled() { sources.first?.inlet.acknowledge(upTo: last) }
  }

  private func kept(_ count: Int, _ kind: RunInputs.Output) {
    inputs.store(count, kind)
    settle()
    run.askMore()
    if inputs.unstored == 0 { whenStored.take()?() }
  }

  private func notKept() {
    whenStored = nil
    yieldLease()
  }

  /// Receives the outcome of outputs of one kind since the run last began here.
  final class Outputs: ValueSender {
    weak var run: SharedRun?
    private let kind: RunInputs.Output

    init(of run: SharedRun, _ kind: RunInputs.Output) {
      self.run = run
      self.kind = kind
    }

    func kept(_ count: Int, at sequence: UInt64?) { run?.kept(count, kind) }

    func notKept(_ count: Int, _ reason: ErrorCode) { run?.notKept() }
  }
}
