/// Finds the candidate that `word` was probably meant to be, if any is close enough.
///
/// Case does not count. Close enough is one edit in words of up to four characters and two in
/// longer ones, where an edit inserts, drops or changes a character or swaps two neighbours.
public func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  let wanted = Array(word.lowercased().unicodeScalars)
  guard wanted.count <= 128 else { return nil }
  var best: (word: String, distance: Int)?
  for candidate in candidates {
    let other = Array(candidate.lowercased().unicodeScalars)
    let limit = max(wanted.count, other.count) <= 4 ? 1 : 2
    guard abs(wanted.count - other.count) <= limit else { continue }
    let distance = distance(from: wanted, to: other)
    if distance <= limit, distance < best?.distance ?? .max {
      best = (candidate, distance)
    }
  }
  return best?.word
}

/// The optimal string alignment distance, row by row.
private func distance(from a: [Unicode.Scalar], to b: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        cost = min(cost, beforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
