/// Goes over JSON text, and tells where what stands at a place ends; `nil` if that is not JSON.
///
/// What changes at every step is passed on and returned, so that it need not be in memory: the place, and
/// the guess at the next key.
@unsafe
struct JSONScan {
  typealias Place = JSONGrammar.Place
  typealias Guess = UnsafeMutablePointer<KeyGuess>

  private let state: UnsafeMutablePointer<State>

  @unsafe private struct State {
    /// How many arrays and objects have stood one inside another at most.
    var height: UInt32 = 0
    /// Behind all guesses: one that is never right.
    let noGuess: Guess
    /// Whether a key was not the one that was guessed.
    var hasLearned = false
    /// Whether there was no blank, and no escape.
    var isCompact = true
  }

  /// Whether a key was not the one that was guessed.
  var hasLearned: Bool { unsafe state.pointee.hasLearned }

  /// Whether no blank has come, and no escape, since it was said so.
  var isCompact: Bool {
    get { unsafe state.pointee.isCompact }
    nonmutating set { unsafe state.pointee.isCompact = newValue }
  }

  /// Gives a scan that guesses the keys.
  ///
  /// A key that was another one goes into the place of its guess. The last of `guesses` is never
  /// right, and stays so.
  @inline(__always)
  static func guessing<R>(
    _ guesses: UnsafeMutableBufferPointer<KeyGuess>,
    _ body: (JSONScan, inout Guess) -> R
  ) -> R {
    guard var guess = guesses.baseAddress else { preconditionFailure("there is no last guess") }
    var state = unsafe State(noGuess: guess + guesses.count - 1)
    return unsafe withUnsafeMutablePointer(to: &state) {
      unsafe body(JSONScan(state: $0), &guess)
    }
  }

  /// Gives a scan that guesses no keys.
  @inline(__always)
  static func withoutGuesses<R>(_ body: (JSONScan, inout Guess) -> R) -> R {
    var none = KeyGuess.none
    return unsafe withUnsafeMutablePointer(to: &none) {
      unsafe guessing(UnsafeMutableBufferPointer(start: $0, count: 1), body)
    }
  }

  /// Whether `body`, which is given the first place that has no blank, comes to the end of `text`, with
  /// nothing but blanks behind, and all of it is UTF-8.
  @inline(__always)
  static func isWhole(_ text: PaddedText, _ body: (Place) -> Place?) -> Bool {
    guard let behind = unsafe body(JSONGrammar.blanks(text.start)) else { return false }
    return unsafe JSONGrammar.blanks(behind) == text.end && (text.isASCII || isUTF8(text))
  }

  /// Whether a text that is not all ASCII is UTF-8.
  @inline(never)
  private static func isUTF8(_ text: PaddedText) -> Bool {
    // What stands before the first byte that is not ASCII, and behind the last, is not looked at.
    var (start, end) = unsafe (text.start, text.end)
    while unsafe UnsafeRawPointer(start).loadUnaligned(as: UInt64.self) & Self.highBits == 0 {
      unsafe start += 8
    }
    while unsafe start.pointee < 0x80 { unsafe start += 1 }
    while unsafe end - start >= 8,
      unsafe UnsafeRawPointer(end - 8).loadUnaligned(as: UInt64.self) & Self.highBits == 0
    {
      unsafe end -= 8
    }
    do {
      let bytes = unsafe UnsafeBufferPointer(start: start, count: end - start)
      _ = unsafe try UTF8Span(validating: bytes.span)
      return true
    } catch {
      return false
    }
  }

  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Behind the value that stands inside `depth` others; blanks may be before it.
  @inline(__always)
  func value(_ next: Place, inside depth: UInt32, _ guess: inout Guess) -> Place? {
    let unit = unsafe next.pointee
    if unit == UInt8(ascii: "\"") {
      guard let text = unsafe JSONGrammar.string(next + 1) else { return nil }
      if !text.isPlain { unsafe isCompact = false }
      return unsafe text.end + 1
    }
    if unit &- 0x30 < 10 || unit == UInt8(ascii: "-") { return unsafe JSONGrammar.number(next) }
    let (behind, later) = unsafe other(next, inside: depth, guess)
    unsafe guess = unsafe later
    return unsafe behind
  }

  @inline(never)
  private func other(
    _ next: Place,
    inside depth: UInt32,
    _ guess: Guess
  ) -> (behind: Place?, Guess) {
    var guess = unsafe guess
    let behind: Place? =
      switch unsafe next.pointee {
      case UInt8(ascii: "{"): unsafe object(next, inside: depth, &guess) { _, _ in }
      case UInt8(ascii: "["): unsafe array(next, inside: depth, &guess)
      case UInt8(ascii: "t"): unsafe JSONGrammar.word("true", at: next)
      case UInt8(ascii: "f"): unsafe JSONGrammar.word("false", at: next)
      case UInt8(ascii: "n"): unsafe JSONGrammar.word("null", at: next)
      case 0...0x20: unsafe valueBehindBlanks(next, inside: depth, &guess)
      default: nil
      }
    return unsafe (behind, guess)
  }

  private func valueBehindBlanks(
    _ next: Place,
    inside depth: UInt32,
    _ guess: inout Guess
  ) -> Place? {
    let behind = unsafe blanks(next)
    return unsafe behind == next ? nil : value(behind, inside: depth, &guess)
  }

  /// Whether an array or object may stand inside `depth` others.
  @inline(__always)
  func enter(_ depth: UInt32) -> Bool {
    if unsafe state.pointee.height <= depth { unsafe state.pointee.height = depth + 1 }
    return depth < UInt32(Extent.mostHeight)
  }

  /// Lets the height be that of what stands inside `depth` others and comes next; returns what it was.
  func beginHeight(inside depth: UInt32) -> UInt32 {
    let before = unsafe state.pointee.height
    unsafe state.pointee.height = depth
    return before
  }

  /// The height of what has come since; from now on that of all is known again.
  func endHeight(_ before: UInt32) -> UInt32 {
    let height = unsafe state.pointee.height
    unsafe state.pointee.height = max(height, before)
    return height
  }

  @inline(__always)
  private func array(_ start: Place, inside depth: UInt32, _ guess: inout Guess) -> Place? {
    guard unsafe enter(depth) else { return nil }
    var next = unsafe blanks(start + 1)
    if unsafe JSONGrammar.has("]", at: next) { return unsafe next + 1 }
    while true {
      guard let behind = unsafe value(next, inside: depth + 1, &guess) else { return nil }
      unsafe next = unsafe behind
      if unsafe !JSONGrammar.has(",", at: next) {
        unsafe next = unsafe blanks(next)
        guard unsafe JSONGrammar.has(",", at: next) else {
          return unsafe JSONGrammar.has("]", at: next) ? next + 1 : nil
        }
      }
      unsafe next = unsafe blanks(next + 1)
    }
  }

  /// Behind the object; `member` is given each key and the place of its value.
  @inline(__always)
  func object(
    _ start: Place,
    inside depth: UInt32,
    _ guess: inout Guess,
    member: (JSONString, Place) -> Void
  ) -> Place? {
    guard unsafe enter(depth) else { return nil }
    var next = unsafe blanks(start + 1)
    if unsafe JSONGrammar.has("}", at: next) { return unsafe next + 1 }
    guard unsafe JSONGrammar.has("\"", at: next) else { return nil }
    while true {
      guard let key = unsafe key(next + 1, inside: depth, &guess, &next) else { return nil }
      unsafe next = unsafe blanks(next)
      unsafe member(key, next)
      guard let behind = unsafe value(next, inside: depth + 1, &guess) else { return nil }
      unsafe next = unsafe behind
      if unsafe JSONGrammar.has(",", "\"", at: next) {
        unsafe next += 1
        continue
      }
      unsafe next = unsafe blanks(next)
      guard unsafe JSONGrammar.has(",", at: next) else {
        return unsafe JSONGrammar.has("}", at: next) ? next + 1 : nil
      }
      unsafe next = unsafe blanks(next + 1)
      guard unsafe JSONGrammar.has("\"", at: next) else { return nil }
    }
  }

  /// The key whose text begins at `start`; `next` becomes the place behind its colon.
  @inline(__always)
  private func key(
    _ start: Place,
    inside depth: UInt32,
    _ guess: inout Guess,
    _ next: inout Place
  ) -> JSONString? {
    if unsafe KeyGuess.isRight(guess, at: start, inside: depth) {
      let end = unsafe start + guess.pointee.length
      unsafe guess += 1
      unsafe next = unsafe end + 2
      return unsafe JSONString(start: start, end: end)
    }
    guard let key = unsafe JSONGrammar.string(start) else { return nil }
    if !key.isPlain { unsafe isCompact = false }
    unsafe state.pointee.hasLearned = true
    if unsafe guess < state.pointee.noGuess {
      unsafe guess = unsafe learn(key, inside: depth, guess)
    }
    let colon = unsafe blanks(key.end + 1)
    guard unsafe JSONGrammar.has(":", at: colon) else { return nil }
    unsafe next = unsafe colon + 1
    return key
  }

  /// Puts a key into the place of its guess; returns the next guess.
  @inline(never)
  private func learn(_ key: JSONString, inside depth: UInt32, _ guess: Guess) -> Guess {
    unsafe guess.pointee = KeyGuess(key, inside: depth) ?? .none
    return unsafe guess + 1
  }

  /// The first place from `next` on that has no blank.
  @inline(__always)
  private func blanks(_ next: Place) -> Place {
    guard unsafe next.pointee <= 0x20 else { return unsafe next }
    return unsafe moreBlanks(next)
  }

  @inline(never)
  private func moreBlanks(_ next: Place) -> Place {
    unsafe isCompact = false
    return unsafe JSONGrammar.blanks(next)
  }
}
