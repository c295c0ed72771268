/// Calls `body` with the decimal digits of a number, without making a string of them.
func withDecimalDigits<Result>(
  of number: UInt64,
  _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
  // Twenty digits are the most; they are written from the end.
  unsafe withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { buffer in
    var rest = number
    var place = 20
    repeat {
      place -= 1
      unsafe buffer[place] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
      rest /= 10
    } while rest > 0
    return unsafe body(UnsafeRawBufferPointer(rebasing: buffer[place...]))
  }
}
