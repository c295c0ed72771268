internal import FlowCore

/// A run's unacknowledged inputs, each kept until its outputs are stored.
struct RunInputs {
  private struct Input {
    let sequence: UInt64
    var outputs = 0
  }

  private var inputs = Fifo<Input>()
  /// How many inputs were delivered.
  private var handed = 0
  private(set) var unstored = 0

  mutating func come(_ sequence: UInt64) { inputs.append(Input(sequence: sequence)) }

  /// Records that the next input was delivered.
  mutating func wasHanded() {
    if handed < inputs.count { handed += 1 }
  }

  /// The input that is being delivered.
  var current: UInt64? { handed < inputs.count ? inputs[handed].sequence : nil }

  /// Counts an output of the current input.
  mutating func addOutput() {
    inputs.change(handed) { $0.outputs += 1 }
    unstored += 1
  }

  mutating func store(_ count: Int) {
    unstored -= count
    var (rest, place) = (count, 0)
    while rest > 0, place < inputs.count {
      let part = min(rest, inputs[place].outputs)
      if part > 0 { inputs.change(place) { $0.outputs -= part } }
      rest -= part
      place += 1
    }
  }

  /// Removes inputs without unstored outputs; returns the last one's sequence.
  mutating func takeSettled() -> UInt64? {
    var last: UInt64?
    while handed > 0, let first = inputs.first, first.outputs == 0 {
      last = first.sequence
      _ = inputs.popFirst()
      handed -= 1
    }
    return last
  }
}
