internal import CVectors

/// A key of the payload before, with the quote and the colon behind it.
///
/// The payloads of a subject mostly have the same keys in the same order. A key that was guessed takes a
/// comparison; and where its value begins does not have to be found in the text first, for which the
/// processor would have to wait.
@safe  // memory 8
struct KeyGuess {
  private var bytes: (SIMD16<UInt8>, SIMD16<UInt8>)
  /// A bit for each of the bytes that counts.
  private var mask: UInt32
  /// How many bytes the key has.
  private(set) var length: Int
  /// Inside how many arrays and objects its object stands.
  private var depth: UInt32

  private static let mostBytes = 30

  /// A guess that is never right.
  static var none: KeyGuess { KeyGuess() }

  private init() {
    bytes = (SIMD16(), SIMD16())
    mask = 1
    length = 0
    // No object is as deep.
    depth = .max
  }

  /// The key, if it is short enough to be guessed and has a colon right behind it.
  init?(_ key: JSONString, inside depth: UInt32) {
    guard key.isPlain, key.count <= Self.mostBytes, unsafe JSONGrammar.has("\"", ":", at: key.end)
    else { return nil }
    let start = unsafe UnsafeRawPointer(key.start)
    bytes.0 = unsafe start.loadUnaligned(as: SIMD16<UInt8>.self)
    // What is behind a short key need not be there to be read.
    bytes.1 = unsafe key.count > 14 ? (start + 16).loadUnaligned(as: SIMD16<UInt8>.self) : SIMD16()
    length = key.count
    self.depth = depth
    mask = ~0 >> UInt32(Self.mostBytes - key.count)
  }

  /// Whether the key, the quote and the colon of `guess` are at `place`, inside `depth` others.
  @inline(__always)
  static func isRight(
    _ guess: UnsafePointer<KeyGuess>,
    at place: JSONGrammar.Place,
    inside depth: UInt32
  ) -> Bool {
    let bytes = unsafe UnsafeRawPointer(guess).assumingMemoryBound(to: UInt8.self)
    let mask = unsafe guess.pointee.mask
    let first = mask & 0xFFFF
    guard unsafe flow_same(place, bytes) & first == first, unsafe guess.pointee.depth == depth
    else { return false }
    let second = mask >> 16
    return unsafe second == 0 || flow_same(place + 16, bytes + 16) & second == second
  }
}
