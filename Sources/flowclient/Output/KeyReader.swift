/// Converts the bytes of a terminal to keys; characters and escape sequences may arrive in pieces.
struct KeyReader {
  /// The most bytes of a paste.
  static let longestPaste = 1_048_576

  private enum State {
    case plain
    /// The bytes since an escape, itself included.
    case sequence([UInt8])
    /// The first bytes of a character.
    case character([UInt8], length: Int)
    case paste([UInt8])
  }

  private var state = State.plain
  /// Whether the last key was a CR, behind which a LF means nothing more.
  private var isBehindReturn = false
  /// Whether the paste is longer than what is kept of it.
  private var isOverlong = false

  /// Whether an escape may be a key of its own, or the beginning of more.
  var isUndecided: Bool { if case .sequence = state { true } else { false } }

  /// Reads bytes that arrived.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
    var keys: [TerminalKey] = []
    for byte in bytes { readByte(byte, &keys) }
    return keys
  }

  /// Reads bytes that arrived together; an escape at their end is the key.
  mutating func readAtOnce(_ bytes: some Sequence<UInt8>) -> [TerminalKey] {
    let keys = read(bytes)
    guard case .sequence(let open) = state, open == [Self.escape] else { return keys }
    return keys + settle()
  }

  /// Ends a sequence after a pause: a lone escape was the key.
  mutating func settle() -> [TerminalKey] {
    guard case .sequence(let bytes) = state else { return [] }
    state = .plain
    return bytes == [Self.escape] ? [.escape] : []
  }

  private static let escape: UInt8 = 27

  private mutating func readByte(_ byte: UInt8, _ keys: inout [TerminalKey]) {
    switch state {
    case .plain: readPlain(byte, &keys)
    case .sequence(let bytes): readSequence(bytes, byte, &keys)
    case .character(let bytes, let length): readCharacter(bytes + [byte], length, &keys)
    case .paste(var bytes):
      state = .plain
      bytes.append(byte)
      readPaste(&bytes, &keys)
    }
  }

  private mutating func readPlain(_ byte: UInt8, _ keys: inout [TerminalKey]) {
    let wasReturn = isBehindReturn
    isBehindReturn = byte == 13
    switch byte {
    case Self.escape: state = .sequence([byte])
    case 13: keys.append(.enter)
    case 10: if !wasReturn { keys.append(.enter) }
    case 9: keys.append(.tab)
    case 8, 127: keys.append(.backspace)
    case 1...26: keys.append(.control(Character(Unicode.Scalar(byte + 96))))
    case 31: keys.append(.control("_"))
    case ..<32: break
    case ..<0x80: keys.append(.character(Unicode.Scalar(byte)))
    case 0xC2...0xDF: state = .character([byte], length: 2)
    case 0xE0...0xEF: state = .character([byte], length: 3)
    case 0xF0...0xF4: state = .character([byte], length: 4)
    default: keys.append(.character("\u{FFFD}"))
    }
  }

  private mutating func readCharacter(_ bytes: [UInt8], _ length: Int, _ keys: inout [TerminalKey])
  {
    guard let last = bytes.last, 0x80...0xBF ~= last else {
      // It was cut off, and this byte begins something else.
      state = .plain
      keys.append(.character("\u{FFFD}"))
      if let last = bytes.last { readPlain(last, &keys) }
      return
    }
    guard bytes.count == length else { return state = .character(bytes, length: length) }
    state = .plain
    let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    // What a terminal would obey is no text.
    if scalar.properties.generalCategory != .control { keys.append(.character(scalar)) }
  }

  // MARK: Sequences

  private mutating func readSequence(_ bytes: [UInt8], _ byte: UInt8, _ keys: inout [TerminalKey]) {
    let sequence = bytes + [byte]
    if bytes.count == 1 {
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "O"): return state = .sequence(sequence)
      case Self.escape:
        // The first was a key.
        keys.append(.escape)
        return
      default:
        state = .plain
        return readAlt(byte, &keys)
      }
    }
    guard 0x40...0x7E ~= byte || byte == Self.escape || sequence.count > 32 else {
      return state = .sequence(sequence)
    }
    state = byte == Self.escape ? .sequence([byte]) : .plain
    guard byte != Self.escape else { return }
    let text = String(decoding: sequence.dropFirst(2), as: UTF8.self)
    if text == "200~" { return state = .paste([]) }
    if let key = Self.key(sequence: text) { keys.append(key) }
  }

  private mutating func readAlt(_ byte: UInt8, _ keys: inout [TerminalKey]) {
    switch byte {
    case 10, 13:
      isBehindReturn = byte == 13
      keys.append(.lineBreak)
    case 8, 127: keys.append(.deleteWordLeft)
    case UInt8(ascii: "b"): keys.append(.wordLeft)
    case UInt8(ascii: "f"): keys.append(.wordRight)
    case UInt8(ascii: "d"): keys.append(.deleteWordRight)
    case 33...126: keys.append(.alt(Character(Unicode.Scalar(byte))))
    // A key of its own, pressed soon behind an escape.
    default: readPlain(byte, &keys)
    }
  }

  private static func key(sequence: String) -> TerminalKey? {
    switch sequence {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H", "1~", "7~": .home
    case "F", "4~", "8~": .end
    case "3~": .delete
    case "5~": .pageUp
    case "6~": .pageDown
    case "1;5C", "1;3C", "5C": .wordRight
    case "1;5D", "1;3D", "5D": .wordLeft
    case "3;5~", "3;3~": .deleteWordRight
    default: nil
    }
  }

  // MARK: Pastes

  private static let endOfPaste = Array("\u{1b}[201~".utf8)

  private mutating func readPaste(_ bytes: inout [UInt8], _ keys: inout [TerminalKey]) {
    let end = Self.endOfPaste
    if bytes.last == end.last, bytes.count >= end.count, bytes.suffix(end.count).elementsEqual(end)
    {
      let text = String(decoding: bytes.dropLast(end.count), as: UTF8.self)
      keys.append(isOverlong ? .overlongPaste : .paste(Self.withLineFeeds(text)))
      isOverlong = false
      return
    }
    if bytes.count > Self.longestPaste + end.count {
      isOverlong = true
      bytes.removeFirst(bytes.count - end.count)
    }
    state = .paste(bytes)
  }

  private static func withLineFeeds(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.contains("\r") else { return text }
    var result = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in scalars {
      if scalar == "\r" {
        result.append("\n")
      } else if scalar != "\n" || last != "\r" {
        result.append(scalar)
      }
      last = scalar
    }
    return String(result)
  }
}
