extension Publisher {
  /// Republishes the first `maxLength` values, then finishes and cancels the upstream.
  ///
  ///     source         --1--2--3--|
  ///     prefix(2)      --1--2|
  ///
  /// Demand passes through. `prefix(0)` finishes at once.
  @inlinable
  public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
    precondition(maxLength >= 0, "maxLength is \(maxLength), expected 0 or more")
    return output(in: ..<maxLength)
  }
}
