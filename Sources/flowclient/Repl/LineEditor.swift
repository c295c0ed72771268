/// A text being typed, in one line or more, with a cursor; what is seen as one character is one here.
struct LineEditor: Equatable {
  /// The most bytes of a text: the longest value, and a verb before it.
  static let longest = 1_048_576 + 1024

  private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0
  private var bytes = 0
  /// The text that was cut out last.
  private var cut: [Character] = []
  /// Whether the last key cut something out, which the next one adds to.
  private var isCutting = false

  var text: String { String(characters) }
  var isEmpty: Bool { characters.isEmpty }
  var isAtEnd: Bool { cursor == characters.count }
  var head: ArraySlice<Character> { characters[..<cursor] }

  /// Puts another text in its place, with the cursor at its end, or at `cursor`.
  mutating func set(_ text: String, cursor: Int? = nil) {
    characters = Array(text)
    bytes = text.utf8.count
    self.cursor = min(cursor ?? characters.count, characters.count)
    isCutting = false
  }

  /// - Returns: whether there was room for it.
  @discardableResult
  mutating func insert(_ text: String) -> Bool {
    isCutting = false
    guard bytes + text.utf8.count <= Self.longest else { return false }
    bytes += text.utf8.count
    // A mark that combines belongs to the character before.
    let start = max(0, cursor - 1)
    let before = String(characters[start..<cursor])
    let joined = Array(before + text)
    characters.replaceSubrange(start..<cursor, with: joined)
    cursor = start + joined.count
    return true
  }

  /// Puts `text` in the place of the characters from `start` to the cursor.
  mutating func replace(from start: Int, with text: String) {
    remove(start..<cursor, keeps: false)
    insert(text)
  }

  /// Performs the action of a key.
  ///
  /// - Returns: whether it means something here; at an edge it may, and changes nothing.
  mutating func press(_ key: TerminalKey) -> Bool {
    switch key {
    case .character(let scalar): insert(String(scalar))
    case .lineBreak: insert("\n")
    case .backspace, .control("h"): remove(max(0, cursor - 1)..<cursor, keeps: false)
    case .delete, .control("d"):
      remove(cursor..<min(cursor + 1, characters.count), keeps: false)
    case .left, .control("b"): move(to: cursor - 1)
    case .right, .control("f"): move(to: cursor + 1)
    case .home, .control("a"): move(to: startOfLine)
    case .end, .control("e"): move(to: endOfLine)
    case .wordLeft: move(to: startOfWord)
    case .wordRight: move(to: endOfWord)
    case .control("k"): remove(cursor..<max(endOfLine, min(cursor + 1, characters.count)))
    case .control("u"): remove(min(startOfLine, max(0, cursor - 1))..<cursor)
    case .control("w"): remove(startOfBlankWord..<cursor)
    case .deleteWordLeft: remove(startOfWord..<cursor)
    case .deleteWordRight: remove(cursor..<endOfWord)
    case .control("y"): insert(String(cut))
    case .control("t"): transpose()
    default: return false
    }
    return true
  }

  private mutating func move(to place: Int) {
    cursor = max(0, min(place, characters.count))
    isCutting = false
  }

  private mutating func remove(_ range: Range<Int>, keeps: Bool = true) {
    let gone = characters[range]
    bytes -= gone.reduce(0) { $0 + $1.utf8.count }
    if keeps, !range.isEmpty {
      let isBefore = range.upperBound == cursor && range.lowerBound < cursor
      cut = isCutting ? (isBefore ? gone + cut : cut + gone) : Array(gone)
    }
    isCutting = keeps
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func transpose() {
    isCutting = false
    guard cursor > 0, characters.count > 1 else { return }
    let second = min(cursor, characters.count - 1)
    characters.swapAt(second - 1, second)
    cursor = second + 1
  }
}

// MARK: Lines

extension LineEditor {
  var startOfLine: Int {
    (characters[..<cursor].lastIndex(of: "\n") ?? -1) + 1
  }

  var endOfLine: Int {
    characters[cursor...].firstIndex(of: "\n") ?? characters.count
  }

  /// Moves to the line above, if there is one.
  ///
  /// - Returns: whether there was one.
  mutating func moveUp() -> Bool {
    let start = startOfLine
    guard start > 0 else { return false }
    let column = cursor - start
    let end = start - 1
    let above = (characters[..<end].lastIndex(of: "\n") ?? -1) + 1
    move(to: min(above + column, end))
    return true
  }

  /// Moves to the line below, if there is one.
  mutating func moveDown() -> Bool {
    let end = endOfLine
    guard end < characters.count else { return false }
    let column = cursor - startOfLine
    let below = end + 1
    let last = characters[below...].firstIndex(of: "\n") ?? characters.count
    move(to: min(below + column, last))
    return true
  }

  // MARK: Words

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private var startOfWord: Int {
    var place = cursor
    while place > 0, !Self.isInWord(characters[place - 1]) { place -= 1 }
    while place > 0, Self.isInWord(characters[place - 1]) { place -= 1 }
    return place
  }

  private var endOfWord: Int {
    var place = cursor
    while place < characters.count, !Self.isInWord(characters[place]) { place += 1 }
    while place < characters.count, Self.isInWord(characters[place]) { place += 1 }
    return place
  }

  /// The start of the word at the cursor, which blanks end.
  private var startOfBlankWord: Int {
    var place = cursor
    while place > 0, characters[place - 1].isWhitespace { place -= 1 }
    while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
    return place
  }
}
