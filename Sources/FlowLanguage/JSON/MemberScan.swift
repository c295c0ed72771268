/// Finds a member in JSON text without making the values around it.
enum MemberScan {
  enum Found {
    case value(Value)
    /// There is an object, and it has no such member.
    case missing
    /// There is something else than an object.
    case notAnObject
  }

  /// The last member that `path` leads to; all of `bytes` has to be JSON.
  static func find(_ path: [Key], in bytes: UnsafeBufferPointer<UInt8>) -> Found {
    guard var cursor = unsafe JSONCursor(bytes) else { return .notAnObject }
    let start = unsafe cursor.next
    cursor.skipBlanks()
    guard cursor.unit == UInt8(ascii: "{"), let found = member(path[0], &cursor) else {
      return .notAnObject
    }
    cursor.skipBlanks()
    guard unsafe cursor.isComplete(from: start) else { return .notAnObject }
    Decoding.count()
    return follow(path[1...], from: found)
  }

  /// Where a member's value stands.
  @safe  // memory 8
  private struct Place {
    var start: UnsafePointer<UInt8>?
    var end: UnsafePointer<UInt8>
    var height: UInt32 = 0
    var isSpaced = false
  }

  /// Goes over the object that is next; `nil` if it is not JSON.
  @inline(__always)
  private static func member(_ key: Key, _ cursor: inout JSONCursor) -> Place? {
    var place = unsafe Place(start: nil, end: cursor.end)
    guard cursor.open(inside: 0) else { return nil }
    if cursor.read("}") { return place }
    repeat {
      guard let name = cursor.key() else { return nil }
      let isWanted =
        unsafe name.isPlain
        ? name.tag(before: cursor.end) == key.tag
          && (key.tag >> 56 <= 7 || name.string.isSame(as: key.text))
        : name.string.isSame(as: key.text)
      let start = unsafe cursor.next
      if isWanted {
        cursor.isSpaced = false
        cursor.height = 0
      }
      guard cursor.skipValue(inside: 1) else { return nil }
      if isWanted {
        place = unsafe Place(
          start: start,
          end: cursor.next,
          height: cursor.height,
          isSpaced: cursor.isSpaced
        )
      }
      cursor.skipBlanks()
    } while cursor.comma()
    return cursor.read("}") ? place : nil
  }

  private static func follow(_ path: ArraySlice<Key>, from place: Place) -> Found {
    guard let start = unsafe place.start else { return .missing }
    let isObject = unsafe start.pointee == UInt8(ascii: "{")
    if let key = path.first {
      var cursor = unsafe JSONCursor(from: start, to: place.end)
      guard isObject, let found = member(key, &cursor) else { return .notAnObject }
      return follow(path.dropFirst(), from: found)
    }
    guard unsafe isObject || start.pointee == UInt8(ascii: "[") else {
      return unsafe .value(JSONReader.value(from: start, to: place.end))
    }
    // The first level is that of the object around it.
    let bytes = unsafe copy(from: start, to: place.end, isSpaced: place.isSpaced)
    return .value(.raw(Undecoded(json: bytes, height: max(1, place.height - 1))))
  }

  /// The text without the blanks in it.
  private static func copy(
    from start: UnsafePointer<UInt8>,
    to end: UnsafePointer<UInt8>,
    isSpaced: Bool
  ) -> [UInt8] {
    guard isSpaced else {
      return unsafe [UInt8](UnsafeBufferPointer(start: start, count: end - start))
    }
    var bytes: [UInt8] = []
    unsafe bytes.reserveCapacity(end - start)
    var cursor = unsafe JSONCursor(from: start, to: end)
    while unsafe cursor.next < end {
      let next = unsafe cursor.next
      if cursor.unit == UInt8(ascii: "\"") {
        _ = cursor.string()
        unsafe bytes += UnsafeBufferPointer(start: next, count: cursor.next - next)
      } else {
        if cursor.unit > 0x20 { bytes.append(cursor.unit) }
        cursor.advance()
      }
    }
    return bytes
  }
}
