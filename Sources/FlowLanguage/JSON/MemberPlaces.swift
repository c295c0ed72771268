/// Where the members of an object stand in its text, in order.
///
/// Whoever has it owns the memory.
@unsafe
struct MemberPlaces {
  typealias Place = JSONGrammar.Place

  /// Where the text of a key and the value begin, counted from the beginning of the text.
  struct Member {
    fileprivate let key: UInt32
    /// The length of the key; the highest bit says that it has escapes.
    fileprivate let length: UInt32
    let value: UInt32
  }

  let members: UnsafeMutablePointer<Member>
  /// How many of them there is room for.
  let capacity: Int
  /// How many there are, which may be more.
  let count: Int

  /// Most objects have no more members.
  static let few = 64

  fileprivate static var hasEscapes: UInt32 { 1 << 31 }

  init(_ members: UnsafeMutablePointer<Member>, capacity: Int, count: Int = 0) {
    unsafe self.members = unsafe members
    unsafe self.capacity = capacity
    unsafe self.count = count
  }

  /// The key of a member of the text that begins at `start`.
  func key(_ index: Int, from start: Place) -> JSONString {
    let member = unsafe members[index]
    let key = unsafe start + Int(member.key)
    return unsafe JSONString(
      start: key,
      end: key + Int(member.length & ~Self.hasEscapes),
      isPlain: member.length & Self.hasEscapes == 0
    )
  }

  /// Where the value of a member stands in the text that begins at `start`.
  @inline(__always)
  func place(_ index: Int, from start: Place) -> Place { unsafe start + Int(members[index].value) }

  /// The number of the last member with a key in the text that begins at `start`; the key has a tag,
  /// and `isSame` is asked where that alone does not tell.
  @inline(__always)
  func find(_ tag: UInt64, from start: Place, _ isSame: (JSONString) -> Bool) -> Int? {
    let wanted = UInt32(truncatingIfNeeded: tag >> 56)
    var index = unsafe count
    while index > 0 {
      index &-= 1
      let length = unsafe members[index].length
      // One that has escapes may mean fewer bytes.
      guard length == wanted || length >= Key.longest else { continue }
      if unsafe key(index, from: start).isKey(tag, isSame) {
        return index
      }
    }
    return nil
  }
}

extension MemberPlaces {
  /// Notes the members of an object as they come.
  @unsafe
  struct Writer {
    private let start: Place
    private let members: UnsafeMutablePointer<Member>
    private let capacity: Int
    private var count = 0

    /// A writer for the object whose text begins at `start`.
    init(_ members: UnsafeMutablePointer<Member>, capacity: Int, from start: Place) {
      unsafe self.start = unsafe start
      unsafe self.members = unsafe members
      unsafe self.capacity = capacity
    }

    @inline(__always)
    mutating func append(_ key: JSONString, _ value: Place) {
      if unsafe count < capacity {
        let escapes = unsafe key.isPlain ? 0 : MemberPlaces.hasEscapes
        unsafe (members + count).initialize(
          to: Member(
            key: UInt32(truncatingIfNeeded: key.start - start),
            length: UInt32(truncatingIfNeeded: key.count) | escapes,
            value: UInt32(truncatingIfNeeded: value - start)
          )
        )
      }
      unsafe count &+= 1
    }

    var places: MemberPlaces { unsafe MemberPlaces(members, capacity: capacity, count: count) }
  }

  /// Notes the members of the object that is all of `text`; `nil` if that is something else.
  @inline(__always)
  init?(
    ofObjectIn text: PaddedText,
    _ scan: JSONScan,
    _ guess: inout JSONScan.Guess,
    _ members: UnsafeMutablePointer<Member>,
    capacity: Int
  ) {
    var writer = unsafe Writer(members, capacity: capacity, from: text.start)
    let isObject = unsafe MemberScan.object(in: text, scan, &guess) { unsafe writer.append($0, $1) }
    guard isObject else { return nil }
    unsafe self = writer.places
  }
}
