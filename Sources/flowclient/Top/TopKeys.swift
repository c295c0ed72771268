/// A key of a terminal.
enum TopKey: Equatable {
  case up, down, pageUp, pageDown, home, end
  case enter, escape, backspace
  /// Control-C and control-Z.
  case interrupt, suspend
  /// A visible character of ASCII, or a blank.
  case character(Character)
}

/// What a terminal sends, as keys: its sequences begin with an escape, which is a key as well.
struct TopKeys {
  private var pending: [UInt8] = []

  /// Takes what was read at a time; an escape at its end is the key.
  mutating func read(_ bytes: some Sequence<UInt8>) -> [TopKey] {
    var keys = bytes.compactMap { press($0) }
    if pending == [27] {
      pending = []
      keys.append(.escape)
    }
    return keys
  }

  private mutating func press(_ byte: UInt8) -> TopKey? {
    guard !pending.isEmpty else {
      if byte == 27 { pending = [27] }
      return byte == 27 ? nil : Self.key(byte)
    }
    if pending.count == 1 {
      guard byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") else {
        // A key together with Alt; an escape that was pressed twice stays one.
        pending = byte == 27 ? [27] : []
        return nil
      }
      pending.append(byte)
      return nil
    }
    pending.append(byte)
    guard 0x40...0x7E ~= byte || pending.count > 16 else { return nil }
    defer { pending = [] }
    return Self.key(sequence: pending.dropFirst(2))
  }

  private static func key(_ byte: UInt8) -> TopKey? {
    switch byte {
    case 3: .interrupt
    case 26: .suspend
    case 10, 13: .enter
    case 8, 127: .backspace
    case 4: .character("q")
    case 32...126: .character(Character(Unicode.Scalar(byte)))
    default: nil
    }
  }

  private static func key(sequence: ArraySlice<UInt8>) -> TopKey? {
    switch String(decoding: sequence, as: UTF8.self) {
    case "A": .up
    case "B": .down
    case "5~": .pageUp
    case "6~": .pageDown
    case "H", "1~", "7~": .home
    case "F", "4~", "8~": .end
    default: nil
    }
  }
}
