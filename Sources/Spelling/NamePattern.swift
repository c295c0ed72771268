/// A pattern of names: `sensors/*/temp`, `sensors/**`, `lab-*`.
///
/// In a level `*` stands for any characters, or none; so by itself it is one level. The level `**` is any
/// number of levels, or none: `sensors/**` is also `sensors`.
public struct NamePattern: Hashable, Sendable {
  /// The pattern as written.
  public let text: String
  private let levels: [Level]
  /// What all names begin with that fit: what stands before the first star, without a `/` before `**`.
  private let start: [UInt8]
  /// Whether it is a name and `/**`.
  private let isSubtree: Bool

  private enum Level: Hashable, Sendable {
    /// Any number of levels.
    case any
    case like([UInt8])
  }

  /// Reads a pattern, or a name, which fits itself; `nil` if it is none.
  ///
  /// It may begin with a `$`, as names of the server's own do.
  public init?(_ text: String) {
    guard text.utf8.count <= NameGrammar.longest + 1 else { return nil }
    let parts = text.utf8.split(
      separator: NameGrammar.separator,
      omittingEmptySubsequences: false
    )
    var levels: [Level] = []
    for (index, part) in parts.enumerated() {
      var part = part
      if index == 0, part.first == UInt8(ascii: "$") { part = part.dropFirst() }
      guard let first = part.first,
        first.beginsWord || first == Self.star || index > 0 && first.isDigit,
        part.allSatisfy({ $0.isInWord || $0 == Self.star })
      else { return nil }
      if parts[index].elementsEqual([Self.star, Self.star]) {
        levels.append(.any)
      } else {
        levels.append(.like(Array(parts[index])))
      }
    }
    self.text = text
    self.levels = levels
    isOpen = text.utf8.contains(Self.star)
    var start = Array(text.utf8.prefix { $0 != Self.star })
    if start.last == NameGrammar.separator,
      levels[start.count { $0 == NameGrammar.separator }] == .any
    {
      start.removeLast()
    }
    self.start = start
    isSubtree = levels.last == .any && text.utf8.count == start.count + 3
  }

  private static let star = UInt8(ascii: "*")

  /// Whether it fits more than one name.
  public let isOpen: Bool

  /// Whether it fits every name.
  public var isAll: Bool { levels == [.any] }

  /// Whether `text` would be a pattern and no name.
  public static func isPattern(_ text: some StringProtocol) -> Bool {
    text.utf8.contains(star) && NamePattern(String(text)) != nil
  }

  /// Whether it fits `name`.
  ///
  /// Of `String` alone: names are compared in thousands, which is slow by way of `StringProtocol`.
  public func fits(_ name: String) -> Bool {
    guard isOpen else { return name.utf8.elementsEqual(text.utf8) }
    guard name.utf8.starts(with: start) else { return false }
    if isSubtree {
      let next = name.utf8.dropFirst(start.count).first
      return next == nil || next == NameGrammar.separator
    }
    let parts = name.utf8.split(separator: NameGrammar.separator)
    return Self.fits(levels, parts, isAny: { $0 == .any }) { level, part in
      guard case .like(let bytes) = level else { return false }
      return Self.fits(bytes, part, isAny: { $0 == Self.star }, isOne: ==)
    }
  }

  /// Whether it surely fits all that `other` does: they are the same, or it ends in `**` where the other
  /// goes on.
  public func covers(_ other: NamePattern) -> Bool {
    guard other.isOpen else { return fits(other.text) }
    if self == other { return true }
    return levels.last == .any && other.levels.starts(with: levels.dropLast())
  }

  /// Compares a list with one that has wildcards: where it goes wrong, the last wildcard takes one more.
  private static func fits<Wild, Parts: Collection>(
    _ pattern: [Wild],
    _ parts: Parts,
    isAny: (Wild) -> Bool,
    isOne: (Wild, Parts.Element) -> Bool
  ) -> Bool {
    var index = 0
    var place = parts.startIndex
    var last: (index: Int, place: Parts.Index)?
    while place != parts.endIndex {
      if index < pattern.count, isAny(pattern[index]) {
        last = (index, place)
        index += 1
      } else if index < pattern.count, isOne(pattern[index], parts[place]) {
        index += 1
        place = parts.index(after: place)
      } else if let wildcard = last {
        place = parts.index(after: wildcard.place)
        last = (wildcard.index, place)
        index = wildcard.index + 1
      } else {
        return false
      }
    }
    return pattern[index...].allSatisfy(isAny)
  }
}
