/// The mistakes found in a text so far, while the compiler continues behind them.
final class Mistakes {
  /// The most mistakes that are reported for one text.
  private static let most = 10

  private var found: [Diagnostic] = []

  /// Notes a mistake with those that come with it.
  ///
  /// - Returns: whether the rest of the text should be checked, too.
  func add(_ mistake: Diagnostic) -> Bool {
    note(mistake)
    return mistake.kind != .tooMuch && found.count < Self.most
  }

  /// Throws all mistakes as one if there are any, in the order in which they were found, `last` being
  /// the last one.
  func check(_ last: Diagnostic? = nil) throws(Diagnostic) {
    if let last { note(last) }
    // Another file or server may define an unknown name; other mistakes are certain.
    let all = found.filter { $0.unknown == nil } + found.filter { $0.unknown != nil }
    guard let first = all.first else { return }
    throw first.followed(by: Array(all.dropFirst().prefix(Self.most - 1)))
  }

  private func note(_ mistake: Diagnostic) {
    for mistake in mistake.all where !found.contains(mistake) { found.append(mistake) }
  }
}
