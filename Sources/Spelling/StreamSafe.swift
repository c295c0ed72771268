/// Whether a text has at most 30 combining marks in a row, as Unicode's Stream-Safe Text Format
/// (UAX #15) has it.
///
/// To compare, hash or search a `String`, the standard library sorts each row of marks, in a time
/// that grows with the square of its length. So what a peer has sent is asked this first.
public func isStreamSafe(_ text: some Sequence<Unicode.Scalar>) -> Bool {
  var marks = 0
  for scalar in text {
    if scalar.value < 0x300 || scalar.properties.canonicalCombiningClass == .notReordered {
      marks = 0
    } else {
      marks += 1
      if marks > 30 { return false }
    }
  }
  return true
}
