extension StringProtocol {
  /// The text as messages quote it, whoever wrote it: at most `limit` characters, the last of which
  /// is "…" if there are more.
  public func excerpt(_ limit: Int = 80) -> String {
    guard let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
      return String(self)
    }
    return "\(self[..<index(before: end)])…"
  }
}
