// A text is the scalars that it is made of, as in JSON. So texts are compared, hashed and searched
// by the bytes of their UTF-8, the order of which is that of the scalars. `==`, `<` and `hash` of
// `String` go by what looks the same, which takes a time that grows with the square of the marks in
// a row; they are not for texts of values.

extension String {
  /// Gives the bytes of the text.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let result = unsafe utf8.withContiguousStorageIfAvailable({
      unsafe body(UnsafeRawBufferPointer($0))
    }) {
      return result
    }
    return unsafe Array(utf8).withUnsafeBytes(body)
  }

  /// Whether it has the very scalars of `other`.
  func isSame(as other: String) -> Bool {
    let (words, others) = unsafe (self.words, other.words)
    if words == others { return true }
    // Both stand in their words, where a text has one form.
    if words.1 & others.1 & Self.isInWords != 0 { return false }
    guard utf8.count == other.utf8.count else { return false }
    return unsafe withBytes { a in
      unsafe other.withBytes { b in unsafe commonPrefix(a, b) == a.count }
    }
  }

  /// What a text is made of: up to 15 bytes and their count, or where its bytes lie (memory 7).
  @unsafe @inline(__always) private var words: (UInt64, UInt64) {
    unsafe unsafeBitCast(self, to: (UInt64, UInt64).self)
  }

  /// The bit of the second word that says that the bytes stand in the words themselves.
  private static var isInWords: UInt64 { 1 << 61 }

  /// Whether it comes before `other`, by scalars.
  func precedes(_ other: String) -> Bool {
    unsafe withBytes { a in
      unsafe other.withBytes { b in
        let length = unsafe commonPrefix(a, b)
        return unsafe length < b.count && (length == a.count || a[length] < b[length])
      }
    }
  }

  /// Whether it begins with the scalars of `part`.
  func begins(with part: String) -> Bool {
    unsafe withBytes { a in unsafe part.withBytes { b in unsafe commonPrefix(a, b) == b.count } }
  }

  /// Whether it ends in the scalars of `part`.
  func ends(in part: String) -> Bool {
    unsafe withBytes { a in
      unsafe part.withBytes { b in
        unsafe a.count >= b.count
          && commonPrefix(UnsafeRawBufferPointer(rebasing: a[(a.count - b.count)...]), b) == b.count
      }
    }
  }

  /// Whether all of it is ASCII.
  var isASCII: Bool {
    unsafe withBytes { bytes in
      var place = 0
      while bytes.count - place >= 8 {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if word & 0x8080_8080_8080_8080 != 0 { return false }
        place += 8
      }
      while place < bytes.count {
        if unsafe bytes[place] >= 0x80 { return false }
        place += 1
      }
      return true
    }
  }

  /// The parts between the places of `separator`, which is not empty; one more than there are places.
  func parts(around separator: String) -> [String] {
    unsafe withBytes { text in
      unsafe separator.withBytes { separator in
        var parts: [String] = []
        var start = 0
        let search = unsafe ByteSearch(separator)
        while let place = unsafe search.find(in: text, from: start) {
          unsafe parts.append(String(decoding: text[start..<place], as: UTF8.self))
          start = place + separator.count
        }
        unsafe parts.append(String(decoding: text[start...], as: UTF8.self))
        return parts
      }
    }
  }

  /// Whether the scalars of `part` are in it.
  func has(_ part: String) -> Bool {
    unsafe withBytes { text in
      unsafe part.withBytes { part in
        unsafe ByteSearch(part).find(in: text, from: 0) != nil
      }
    }
  }
}

/// How many bytes two texts have in common at their beginning.
@inline(__always)
func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
  let count = min(a.count, b.count)
  var place = 0
  while count - place >= 8 {
    let (x, y) = unsafe (
      a.loadUnaligned(fromByteOffset: place, as: UInt64.self),
      b.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    )
    if x != y { return place + (UInt64(littleEndian: x ^ y).trailingZeroBitCount >> 3) }
    place += 8
  }
  while place < count, unsafe a[place] == b[place] { place += 1 }
  return place
}

/// Finds a text in others, in a time that grows with their length alone.
///
/// D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast Pattern Matching in Strings", 1977.
@unsafe private struct ByteSearch {
  private let part: UnsafeRawBufferPointer
  /// Of each beginning of the part, how much of it is an end of it as well.
  private var borders: [Int] = [0]

  init(_ part: UnsafeRawBufferPointer) {
    unsafe self.part = part
    var border = 0
    for place in part.indices.dropFirst() {
      while border > 0, unsafe part[border] != part[place] { border = unsafe borders[border - 1] }
      if unsafe part[border] == part[place] { border += 1 }
      unsafe borders.append(border)
    }
  }

  /// The first place of the part in `text` from `start` on.
  func find(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard unsafe !part.isEmpty else { return start }
    var matched = 0
    for place in start..<text.count {
      while matched > 0, unsafe part[matched] != text[place] {
        matched = unsafe borders[matched - 1]
      }
      if unsafe part[matched] == text[place] { matched += 1 }
      if unsafe matched == part.count { return place + 1 - matched }
    }
    return nil
  }
}
