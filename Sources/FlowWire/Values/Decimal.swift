extension UInt64 {
  /// Parses decimal digits, saturating; `nil` if there are none, or anything else.
  package init?(decimal digits: some Collection<UInt8>) {
    guard !digits.isEmpty else { return nil }
    self = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      let (tens, overflow) = multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digit &- 0x30))
      self = overflow || carry ? .max : sum
    }
  }
}

extension StreamID {
  /// Parses `5`, or `5.17` for a call.
  package init?(_ text: some Collection<UInt8>) {
    let dot = text.firstIndex(of: .dot)
    guard let stream = UInt64(decimal: text[..<(dot ?? text.endIndex)]), stream <= Self.largest
    else { return nil }
    guard let dot else {
      self.init(rawValue: stream)
      return
    }
    guard let call = UInt64(decimal: text[text.index(after: dot)...]), 1...Self.largest ~= call
    else { return nil }
    self.init(service: stream, call: call)
  }
}

/// Calls `body` with the decimal digits of a number, without allocating a string.
func withDecimalDigits<Result>(
  of number: UInt64,
  _ body: (UnsafeRawBufferPointer) -> Result
) -> Result {
  // At most twenty digits, written from the end.
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
