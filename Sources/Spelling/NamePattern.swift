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
  /// What they all end with: what stands behind the last star, without a `/` behind `**`.
  private let end: [UInt8]
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
    var end = Array(text.utf8.reversed().prefix { $0 != Self.star }.reversed())
    let isBehindAny = levels.dropLast(end.count { $0 == NameGrammar.separator }).last == .any
    if end.first == NameGrammar.separator, isBehindAny { end.removeFirst() }
    self.end = end
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
    let name = name.utf8.span
    guard Self.isEqual(name.extracting(first: start.count), start.span),
      Self.isEqual(name.extracting(last: end.count), end.span)
    else { return false }
    if isSubtree { return name.count == start.count || name[start.count] == NameGrammar.separator }
    return fits(levels: name)
  }

  /// Whether it surely fits all that `other` does: they are the same, or it ends in `**` where the other
  /// goes on.
  public func covers(_ other: NamePattern) -> Bool {
    guard other.isOpen else { return fits(other.text) }
    if self == other { return true }
    return levels.last == .any && other.levels.starts(with: levels.dropLast())
  }

  /// Compares level by level; where it goes wrong, the last `**` takes one level more.
  private func fits(levels name: Span<UInt8>) -> Bool {
    var index = 0
    // An empty text has no level.
    var place = name.isEmpty ? 1 : 0
    var last: (index: Int, place: Int)?
    while place <= name.count {
      let end = Self.levelEnd(in: name, from: place)
      if index < levels.count, case .any = levels[index] {
        index += 1
        last = (index, place)
      } else if index < levels.count, case .like(let level) = levels[index],
        Self.fits(level.span, name.extracting(place..<end))
      {
        index += 1
        place = end + 1
      } else if let wildcard = last {
        index = wildcard.index
        place = Self.levelEnd(in: name, from: wildcard.place) + 1
        last = (index, place)
      } else {
        return false
      }
    }
    return levels[index...].allSatisfy { $0 == .any }
  }

  private static func isEqual(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in one.indices where one[index] != other[index] { return false }
    return true
  }

  private static func levelEnd(in name: Span<UInt8>, from place: Int) -> Int {
    var end = place
    while end < name.count, name[end] != NameGrammar.separator { end += 1 }
    return end
  }

  /// Compares one level; where it goes wrong, the last star takes one character more.
  private static func fits(_ pattern: Span<UInt8>, _ level: Span<UInt8>) -> Bool {
    var index = 0
    var place = 0
    var last: (index: Int, place: Int)?
    while place < level.count {
      if index < pattern.count, pattern[index] == star {
        index += 1
        last = (index, place)
      } else if index < pattern.count, pattern[index] == level[place] {
        index += 1
        place += 1
      } else if let wildcard = last {
        index = wildcard.index
        place = wildcard.place + 1
        last = (index, place)
      } else {
        return false
      }
    }
    while index < pattern.count, pattern[index] == star { index += 1 }
    return index == pattern.count
  }
}
