import FlowLanguage

/// The members seen in received values, by their path.
struct SeenMembers {
  /// The largest value to examine, in bytes.
  private static let largest = 64 * 1024
  private static let mostNames = 2000
  private static let deepest = 4

  /// Member names by the path before them, such as `city` and `street` after `address`; "" is the
  /// whole value.
  private var names: [String: [String]] = [:]
  private var count = 0
  private var seen = 0

  /// Records the members of a value; skips some if there are many.
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

  /// - Returns: whether the name can follow a dot.
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

  /// Returns the names after `path`, or all names if it is unknown.
  func names(behind path: [String]) -> [String] {
    if let known = names[path.joined(separator: ".")] { return known.sorted() }
    // The parameter of a closure may be a part of a value.
    let ends = names.filter { key, _ in
      path.last.map { key == $0 || key.hasSuffix(".\($0)") } ?? true
    }
    return Set((path.isEmpty ? names : ends).values.joined()).sorted()
  }
}
