/// Which scalars a class such as `[a-z\d]` is for.
struct ScalarSet {
  /// A class that has a name.
  enum Kind {
    case digit, word, space
    /// The scalars of some of the general categories of Unicode.
    case categories([Unicode.GeneralCategory])
  }

  private(set) var ranges: [ClosedRange<UInt32>] = []
  private(set) var kinds: [(kind: Kind, isNegated: Bool)] = []
  var isNegated = false
  var ignoresCase = false
  /// Which of the first 128 scalars are in it, once it is `finished`.
  private var low: (UInt64, UInt64) = (0, 0)

  mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

  mutating func insert(_ kind: Kind, isNegated: Bool) { kinds.append((kind, isNegated)) }

  /// Writes down what holds for ASCII.
  mutating func finish() {
    for scalar in UInt32(0)..<64 where look(for: scalar) { low.0 |= 1 << UInt64(scalar) }
    for scalar in UInt32(64)..<128 where look(for: scalar) { low.1 |= 1 << UInt64(scalar - 64) }
  }

  @inline(__always)
  func contains(_ scalar: UInt32) -> Bool {
    if scalar < 64 { return low.0 >> UInt64(scalar) & 1 == 1 }
    if scalar < 128 { return low.1 >> UInt64(scalar - 64) & 1 == 1 }
    return look(for: scalar)
  }

  private func look(for scalar: UInt32) -> Bool {
    let isIn = has(scalar) || ignoresCase && Self.otherCases(of: scalar).contains(where: has)
    return isIn != isNegated
  }

  private func has(_ scalar: UInt32) -> Bool {
    ranges.contains { $0.contains(scalar) }
      || kinds.contains { $0.kind.contains(scalar) != $0.isNegated }
  }

  /// The scalar in lower and in upper case, where each is one scalar.
  static func otherCases(of scalar: UInt32) -> [UInt32] {
    if scalar < 128 {
      return 0x61...0x7A ~= scalar | 0x20 ? [scalar | 0x20, scalar & ~0x20] : []
    }
    guard let properties = Unicode.Scalar(scalar)?.properties else { return [] }
    return [properties.lowercaseMapping, properties.uppercaseMapping].compactMap { mapping in
      let scalars = mapping.unicodeScalars
      return scalars.count == 1 ? scalars.first?.value : nil
    }
  }

  static func isNewline(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension ScalarSet.Kind {
  /// As Unicode has it.
  func contains(_ scalar: UInt32) -> Bool {
    if scalar < 128 {
      let isDigit = 0x30...0x39 ~= scalar
      switch self {
      case .digit: return isDigit
      case .word: return isDigit || 0x61...0x7A ~= scalar | 0x20 || scalar == 0x5F
      case .space: return scalar == 0x20 || 0x09...0x0D ~= scalar
      case .categories: break
      }
    }
    guard let properties = Unicode.Scalar(scalar)?.properties else { return false }
    let category = properties.generalCategory
    return switch self {
    case .digit: category == .decimalNumber
    case .categories(let categories): categories.contains(category)
    case .space: properties.isWhitespace
    case .word:
      properties.isAlphabetic || properties.isJoinControl
        || [
          .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark,
        ].contains(category)
    }
  }
}
