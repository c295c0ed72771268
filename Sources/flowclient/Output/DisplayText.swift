import FlowWire

/// Text as a terminal shows it: how many columns it takes, and no more of it than there are.
///
/// Wide characters of East Asia and most emoji take two columns, marks that combine none.
enum DisplayText {
  /// Makes foreign text safe to show: one line, without anything that a terminal obeys.
  static func visible(_ text: String, isASCII: Bool = false) -> String {
    let line = FrameWriter.oneLine(text).replacing("\t", with: " ")
    guard isASCII, !line.utf8.allSatisfy({ $0 < 0x80 }) else { return line }
    return line.unicodeScalars.map { scalar in
      switch scalar {
      case "…": "~"
      case "×": "x"
      case "µ": "u"
      default: scalar.isASCII ? String(scalar) : scalar.escaped(asASCII: true)
      }
    }
    .joined()
  }

  /// The columns that a text without control characters takes.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// The text, or as much of it as fits and a sign that there is more.
  static func cut(_ text: String, to columns: Int, more: String = "…") -> String {
    guard width(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var used = 0
    for scalar in text.unicodeScalars {
      let next = width(scalar)
      guard used + next <= columns - 1 else { break }
      result.unicodeScalars.append(scalar)
      used += next
    }
    return result + more
  }

  /// The text with blanks behind it, or before it if `right`, so that it takes `columns` columns.
  static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, columns - width(text)))
    return right ? blanks + text : text + blanks
  }

  /// The text in lines of at most `columns` columns, broken at blanks if possible; all but the
  /// first begin with `indent` blanks.
  static func fold(_ text: String, to columns: Int, indent: Int = 0) -> [String] {
    let margin = String(repeating: " ", count: indent)
    let columns = max(columns, indent + 8)
    var lines: [String] = []
    var line = ""
    var used = 0
    /// After the last blank of the line.
    var last: String.UnicodeScalarView.Index?
    for scalar in text.unicodeScalars {
      let next = width(scalar)
      if used + next > columns {
        let end = last ?? line.endIndex
        let rest = String(line[end...])
        lines.append(String(line[..<end]).withoutLastBlanks)
        line = margin + rest
        used = width(line)
        last = nil
        if scalar == " ", rest.isEmpty { continue }
      }
      line.unicodeScalars.append(scalar)
      used += next
      if scalar == " ", used > indent { last = line.endIndex }
    }
    return lines + [line]
  }

  /// The columns of one scalar.
  static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    if 0x1160...0x11FF ~= scalar.value { return 0 }
    return isWide(scalar.value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= 0x1100 else { return false }
    var low = 0
    var high = wide.count
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// The characters that Unicode calls wide or fullwidth.
  ///
  /// See https://www.unicode.org/Public/UCD/latest/ucd/EastAsianWidth.txt.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF,
    0x1AFF0...0x1B2FF, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E,
    0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C,
    0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
    0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC,
    0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
    0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
    0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DC...0x1F6DF,
    0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0,
    0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAFF,
    0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}

extension String {
  fileprivate var withoutLastBlanks: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
