internal import FlowCore

/// The inputs of a run that are not acknowledged, each until its outputs are stored.
struct RunInputs {
  private struct Input {
    let sequence: UInt64
    /// How many of its outputs are not stored.
    var outputs = 0
  }

  private var inputs = Fifo<Input>()
  /// How many of them have been handed on.
  private var handed = 0
  /// How many outputs are not stored.
  private(set) var unstored = 0

  /// An input comes, which is handed on next, or when those before it are.
  mutating func come(_ sequence: UInt64) { inputs.append(Input(sequence: sequence)) }

  /// The next input has been handed on.
  mutating func wasHanded() {
    if handed < inputs.count { handed += 1 }
  }

  /// The place of the input that is being handed on.
  var current: UInt64? { handed < inputs.count ? inputs[handed].sequence : nil }

  /// The input that is being handed on has an output.
  mutating func addOutput() {
    inputs.change(handed) { $0.outputs += 1 }
    unstored += 1
  }

  /// The oldest `count` outputs are stored.
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

  /// Takes out those of which nothing is left to be stored; returns the place of the last one.
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
