import FlowLanguage

/// The names of members in the values that came, by the path that leads to them.
struct SeenMembers {
  /// A larger value is not looked into.
  private static let largest = 64 * 1024
  private static let mostNames = 2000
  private static let deepest = 4

  /// The names of members by the path before them: `city` and `street` behind `address`; those of
  /// whole values behind "".
  private var names: [String: [String]] = [:]
  private var count = 0
  private var seen = 0

  /// Records the members of a value; of many values only of some.
  mutating func record(_ payload: UnsafeRawBufferPointer) {
    guard unsafe payload.first == UInt8(ascii: "{"), payload.count <= Self.largest else { return }
    seen += 1
    guard seen <= 200 || seen % 100 == 0, count < Self.mostNames else { return }
    unsafe add(Value(bytes: payload).decoded, at: "", depth: 0)
  }

  private mutating func add(_ value: Value, at path: String, depth: Int) {
    switch value {
    case .array(let array):
      if let first = array.first { add(first.decoded, at: path, depth: depth + 1) }
    case .object(let object):
      for member in object.members.prefix(200) where add(member.key, at: path) {
        guard depth < Self.deepest else { continue }
        let inner = path.isEmpty ? member.key : "\(path).\(member.key)"
        add(member.value.decoded, at: inner, depth: depth + 1)
      }
    default: break
    }
  }

  /// - Returns: whether it is a name that can be written behind a dot.
  private mutating func add(_ name: String, at path: String) -> Bool {
    let isWord = name.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
    }
    guard isWord, let first = name.first, !first.isNumber, name.utf8.count <= 64 else {
      return false
    }
    guard !(names[path] ?? []).contains(name) else { return true }
    guard count < Self.mostNames else { return false }
    names[path, default: []].append(name)
    count += 1
    return true
  }

  /// The names behind `path`; if it was never seen, all there are.
  func names(behind path: [String]) -> [String] {
    if let known = names[path.joined(separator: ".")] { return known.sorted() }
    // A closure's parameter may be a part of a value already.
    let ends = names.filter { key, _ in
      path.last.map { key == $0 || key.hasSuffix(".\($0)") } ?? true
    }
    return Set((path.isEmpty ? names : ends).values.joined()).sorted()
  }
}
