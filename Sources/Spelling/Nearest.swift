/// Finds the candidate that `word` was probably meant to be, if any is close enough.
///
/// Case does not count. Close enough is one edit in words of up to four characters and two in
/// longer ones, where an edit inserts, drops or changes a character or swaps two neighbours. A word
/// of more than 128 bytes is close to nothing. The answer takes a few milliseconds at most: of many
/// candidates as long as the word, the last are not looked at.
public func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
  guard word.utf8.count <= longest else { return nil }
  let wanted = scalars(of: word)
  var best: (word: String, distance: Int)?
  var work = 0
  for candidate in candidates where candidate.utf8.count <= longest {
    // A scalar of another case may take another number of bytes, but not where both are ASCII.
    guard abs(candidate.utf8.count - word.utf8.count) <= 8 else { continue }
    work += 4 * candidate.utf8.count
    guard work <= most else { break }
    let other = scalars(of: candidate)
    let limit = min(max(wanted.count, other.count) <= 4 ? 1 : 2, (best?.distance ?? .max) - 1)
    guard let distance = distance(from: wanted, to: other, atMost: limit) else { continue }
    best = (candidate, distance)
    if distance == 0 { break }
  }
  return best?.word
}

/// The most bytes that a word of any use has.
private let longest = 128

/// The most scalars of candidates that are looked at, each several times.
private let most = 400_000

private func scalars(of word: String) -> [UInt32] {
  if word.utf8.allSatisfy({ $0 < 0x80 }) {
    return word.utf8.map { UInt32($0 &- 0x41 < 26 ? $0 | 0x20 : $0) }
  }
  return word.lowercased().unicodeScalars.map(\.value)
}

/// The optimal string alignment distance, or `nil` if it is above `limit`.
///
/// What the words share at their ends is left out; of the rest only the cells near the diagonal
/// are looked at, since every step away from it is an edit.
private func distance(from a: [UInt32], to b: [UInt32], atMost limit: Int) -> Int? {
  guard limit >= 0, abs(a.count - b.count) <= limit else { return nil }
  var start = 0
  while start < a.count, start < b.count, a[start] == b[start] { start += 1 }
  var (endOfA, endOfB) = (a.count, b.count)
  while endOfA > start, endOfB > start, a[endOfA - 1] == b[endOfB - 1] {
    endOfA -= 1
    endOfB -= 1
  }
  let (rows, columns) = (endOfA - start, endOfB - start)
  guard rows > 0, columns > 0 else { return max(rows, columns) }
  let far = limit + 1
  // Rows of the distances from the first scalars of `a` to those of `b`; the rest is far.
  var beforeLast = [Int](repeating: far, count: columns + 1)
  var last = beforeLast
  for column in 0...min(columns, limit) { last[column] = column }
  var row = beforeLast
  for i in 1...rows {
    let near = max(1, i - limit)...max(1, min(columns, i + limit))
    row[near.lowerBound - 1] = near.lowerBound == 1 ? min(i, far) : far
    var least = row[near.lowerBound - 1]
    for j in near {
      let (x, y) = (a[start + i - 1], b[start + j - 1])
      var cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1))
      if i > 1, j > 1, x == b[start + j - 2], a[start + i - 2] == y {
        cost = min(cost, beforeLast[j - 2] + 1)
      }
      row[j] = min(cost, far)
      least = min(least, row[j])
    }
    if near.upperBound < columns { row[near.upperBound + 1] = far }
    guard least <= limit else { return nil }
    (beforeLast, last, row) = (last, row, beforeLast)
  }
  return last[columns] <= limit ? last[columns] : nil
}
