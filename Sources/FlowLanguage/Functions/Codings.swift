/// What the functions do that write texts otherwise: as Base64, as hexadecimal digits and as JSON; the
/// caller has checked the kinds.
enum Codings {
  // MARK: Base64

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )
  private static let padding = UInt8(ascii: "=")

  /// The bits that each byte stands for, in both alphabets; 0xFF for those that stand for none.
  private static let sextets: [UInt8] = {
    var sextets = [UInt8](repeating: 0xFF, count: 256)
    for (index, unit) in alphabet.enumerated() { sextets[Int(unit)] = UInt8(index) }
    sextets[Int(UInt8(ascii: "-"))] = 62
    sextets[Int(UInt8(ascii: "_"))] = 63
    return sextets
  }()

  static func base64Encoded(_ value: Value) throws(EvaluationError) -> Value {
    let bytes = Array(value.text.utf8)
    guard (bytes.count + 2) / 3 * 4 <= Extent.mostBytes else { throw .tooLarge }
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
      for place in 0..<4 {
        let isPadding = place > part.count
        let sextet = Int(bits >> (18 - 6 * UInt32(place)) & 0x3F)
        text.append(isPadding ? padding : alphabet[sextet])
      }
    }
    return .string(String(decoding: text, as: UTF8.self))
  }

  /// Takes both alphabets, with padding or without.
  static func base64Decoded(_ value: Value) throws(EvaluationError) -> Value {
    let units = Array(value.text.utf8)
    let end = units.lastIndex { $0 != padding }.map { $0 + 1 } ?? 0
    let isPadded = end < units.count
    guard end % 4 != 1, !isPadded || units.count % 4 == 0 && units.count - end < 3 else {
      throw .fault("base64Decoded: the text does not end as Base64 does")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(end / 4 * 3 + 2)
    var (bits, count) = (UInt32(0), 0)
    for place in 0..<end {
      let sextet = sextets[Int(units[place])]
      guard sextet != 0xFF else { throw invalid("base64Decoded", value.text, at: place) }
      bits = bits << 6 | UInt32(sextet)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return try text(bytes, "base64Decoded")
  }

  // MARK: Hexadecimal

  static func hexEncoded(_ value: Value) throws(EvaluationError) -> Value {
    let digits = Array("0123456789abcdef".utf8)
    guard value.text.utf8.count * 2 <= Extent.mostBytes else { throw .tooLarge }
    let text = value.text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return .string(String(decoding: text, as: UTF8.self))
  }

  static func hexDecoded(_ value: Value) throws(EvaluationError) -> Value {
    let units = Array(value.text.utf8)
    guard units.count % 2 == 0 else {
      throw .fault("hexDecoded needs an even number of digits, not \(units.count)")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(units.count / 2)
    for place in units.indices {
      guard let digit = Character(Unicode.Scalar(units[place])).hexDigitValue else {
        throw invalid("hexDecoded", value.text, at: place)
      }
      if place % 2 == 0 {
        bytes.append(UInt8(digit) << 4)
      } else {
        bytes[bytes.count - 1] |= UInt8(digit)
      }
    }
    return try text(bytes, "hexDecoded")
  }

  private static func text(_ bytes: [UInt8], _ name: String) throws(EvaluationError) -> Value {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .fault("\(name): the bytes are no text in UTF-8")
    }
    return .string(text)
  }

  /// What is said of the byte at `place`, with the character that it begins.
  private static func invalid(_ name: String, _ text: String, at place: Int) -> EvaluationError {
    let index = text.utf8.index(text.utf8.startIndex, offsetBy: place)
    return .fault("\(name) cannot read \"\(text.unicodeScalars[index])\" at \(place)")
  }

  // MARK: JSON

  static func value(_ value: Value) -> Value {
    unsafe value.text.withBytes { bytes in
      unsafe PaddedText.with(copyOf: bytes, JSONReader.read)
    } ?? .null
  }

  static func json(_ value: Value) throws(EvaluationError) -> Value {
    let text = unsafe value.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    guard text.utf8.count <= Extent.mostBytes else { throw .tooLarge }
    return .string(text)
  }
}
