// The bytes of HTTP's grammar: RFC 9110, section 5.6, and RFC 3986, section 2.

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var comma: UInt8 { 0x2C }

  var isBlank: Bool { self == 0x20 || self == 0x09 }

  var isDigit: Bool { self &- 0x30 < 10 }

  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Whether a header's value may not contain it.
  var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7F }

  /// Whether a method or the name of a header may contain it.
  var isTokenPart: Bool {
    isDigit || isLetter || Self.tokenSigns.contains(self)
  }

  /// Whether a name, an address or a port may contain it.
  var isHostPart: Bool { isDigit || isLetter || Self.hostSigns.contains(self) }

  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }

  private static let tokenSigns = Array("!#$%&'*+-.^_`|~".utf8)
  private static let hostSigns = Array("-._~!$%&'()*+:;=[]".utf8)
}

extension BidirectionalCollection<UInt8> where SubSequence: BidirectionalCollection<UInt8> {
  var trimmed: SubSequence {
    guard let first = firstIndex(where: { !$0.isBlank }),
      let last = lastIndex(where: { !$0.isBlank })
    else { return prefix(0) }
    return self[first...last]
  }
}

extension String {
  /// Whether the bytes are equal; `==` also equates different spellings of an accent.
  func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Whether this is a list that contains `word`, which is in lower case.
  ///
  /// If `anyCase`, the list may spell it in upper case.
  func lists(_ word: String, anyCase: Bool = true) -> Bool {
    utf8.split(separator: .comma).contains { part in
      let bytes = part.trimmed
      return anyCase
        ? bytes.lazy.map(\.lowercased).elementsEqual(word.utf8) : bytes.elementsEqual(word.utf8)
    }
  }
}
