extension JSONCursor {
  /// Takes a value that stands inside `depth` others; false if it is not JSON.
  mutating func skipValue(inside depth: UInt32 = 0) -> Bool {
    switch unit {
    case UInt8(ascii: "\""): string() != nil
    case UInt8(ascii: "{"): skipObject(inside: depth)
    case UInt8(ascii: "["): skipArray(inside: depth)
    case UInt8(ascii: "t"): read(word: "true")
    case UInt8(ascii: "f"): read(word: "false")
    case UInt8(ascii: "n"): read(word: "null")
    default: number() != nil
    }
  }

  /// Takes the bracket of what stands inside `depth` others.
  mutating func open(inside depth: UInt32) -> Bool {
    guard depth < UInt32(Extent.mostHeight) else { return false }
    height = max(height, depth + 1)
    unsafe next += 1
    skipBlanks()
    return true
  }

  /// Takes a comma and the blanks around it.
  @inline(__always)
  mutating func comma() -> Bool {
    guard read(",") else { return false }
    skipBlanks()
    return true
  }

  private mutating func skipArray(inside depth: UInt32) -> Bool {
    guard open(inside: depth) else { return false }
    if read("]") { return true }
    repeat {
      guard skipValue(inside: depth + 1) else { return false }
      skipBlanks()
    } while comma()
    return read("]")
  }

  private mutating func skipObject(inside depth: UInt32) -> Bool {
    guard open(inside: depth) else { return false }
    if read("}") { return true }
    repeat {
      guard key() != nil, skipValue(inside: depth + 1) else { return false }
      skipBlanks()
    } while comma()
    return read("}")
  }

  /// Takes a key, the colon and the blanks around it.
  @inline(__always)
  mutating func key() -> Text? {
    guard unit == UInt8(ascii: "\""), let text = string() else { return nil }
    skipBlanks()
    guard read(":") else { return nil }
    skipBlanks()
    return text
  }
}
