internal import FlowCore

/// A run's unacknowledged inputs, each kept until its outputs are stored.
struct RunInputs {
  /// What comes of an input; NATS stores those of one kind in order.
  enum Output { case value, letter }

  private struct Input {
    let sequence: UInt64
    private var values = 0
    private var letters = 0

    init(sequence: UInt64) { self.sequence = sequence }

    var isSettled: Bool { values == 0 && letters == 0 }

    /// How many outputs of this kind are not stored.
    subscript(_ kind: Output) -> Int {
      get {
        switch kind {
        case .value: values
        case .letter: letters
        }
      }
      set {
        switch kind {
        case .value: values = newValue
        case .letter: letters = newValue
        }
      }
    }
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
  mutating func add(_ kind: Output) {
    inputs.change(handed) { $0[kind] += 1 }
    unstored += 1
  }

  /// Records that the oldest `count` outputs of this kind are stored.
  mutating func store(_ count: Int, _ kind: Output) {
    unstored -= count
    var (rest, place) = (count, 0)
    while rest > 0, place < inputs.count {
      let part = min(rest, inputs[place][kind])
      if part > 0 { inputs.change(place) { $0[kind] -= part } }
      rest -= part
      place += 1
    }
  }

  /// Removes inputs without unstored outputs; returns the last one's sequence.
  mutating func takeSettled() -> UInt64? {
    var last: UInt64?
    while handed > 0, let first = inputs.first, first.isSettled {
      last = first.sequence
      _ = inputs.popFirst()
      handed -= 1
    }
    return last
  }
}
