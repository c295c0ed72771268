/// Where the members of the payload stand that was looked into last.
///
/// So of the stages that a payload goes through, the first that looks into it finds the members for
/// all of them. There is one of these for all pipelines of a loop, whose payloads come one after the
/// other.
@safe  // memory 8
final class KnownMembers {
  /// The payload, as long as it may come again.
  @safe @exclusivity(unchecked) private var payload: UnsafeRawBufferPointer?  // memory 6
  /// A copy of it.
  @safe @exclusivity(unchecked) private var text: PaddedText
  /// Where that is.
  @safe @exclusivity(unchecked) private var room: UnsafeMutablePointer<UInt8>
  @safe @exclusivity(unchecked) private var capacity = KnownMembers.usualCapacity
  @safe @exclusivity(unchecked) private var places: MemberPlaces
  private let guesses: UnsafeMutableBufferPointer<KeyGuess>
  /// Another one with each payload that has other keys than the one before.
  @safe @exclusivity(unchecked) private var shape: UInt64 = 1
  private let memos: UnsafeMutablePointer<Memo>
  @safe @exclusivity(unchecked) private var kind = Kind.other
  /// Where a scalar was wanted last, and what it is: the next stage may want the same.
  @safe @exclusivity(unchecked) private var lastPlace: JSONGrammar.Place?
  @safe @exclusivity(unchecked) private var lastScalar: Scalar?

  private enum Kind {
    case object
    case scalar(Scalar)
    case other
  }

  /// Which member a key led to, in payloads of a shape.
  private struct Memo {
    var tag: UInt64 = 0
    /// Of a long key, all of it.
    var text = ""
    var shape: UInt64 = 0
    /// The member's number; below 0 if there was none.
    var index = -1
  }

  private static let mostGuesses = 64
  private static let memoCount = 16
  /// The bytes that there are room for unless a payload is larger.
  private static let usualCapacity = 1 << 16

  init() {
    room = .allocate(capacity: capacity)
    text = unsafe PaddedText(start: room, count: 0, isASCII: true)
    places = unsafe MemberPlaces(
      .allocate(capacity: MemberPlaces.few),
      capacity: MemberPlaces.few,
      count: 0
    )
    unsafe guesses = .allocate(capacity: Self.mostGuesses + 1)
    unsafe guesses.initialize(repeating: .none)
    unsafe memos = .allocate(capacity: Self.memoCount)
    unsafe memos.initialize(repeating: Memo(), count: Self.memoCount)
  }

  deinit {
    unsafe places.members.deallocate()
    unsafe room.deallocate()
    unsafe guesses.deallocate()
    unsafe memos.deinitialize(count: Self.memoCount)
    unsafe memos.deallocate()
  }

  /// Another payload comes, which may have the place of the last.
  @inline(__always)
  func forget() { payload = nil }

  /// Where the last member of a payload stands that `path` leads to; until another one comes.
  @inline(__always)
  func find(_ path: MemberPath, in payload: UnsafeRawBufferPointer) -> MemberScan.Found {
    unsafe lookOnce(into: payload)
    guard case .object = kind else { return unsafe .notAnObject }
    // Larger ones are searched each time.
    guard unsafe places.count <= MemberPlaces.few else {
      return unsafe MemberScan.find(path, in: text)
    }
    let index = member(of: path)
    guard index >= 0 else { return unsafe .missing }
    let place = unsafe places.place(index, from: text.start)
    return unsafe path.isOneKey ? .at(place) : MemberScan.follow(path.rest, from: place)
  }

  /// What `path` leads to in a payload, if that is a scalar or missing.
  @inline(__always)
  func scalar(_ path: MemberPath, in payload: UnsafeRawBufferPointer) -> Scalar? {
    let found = unsafe find(path, in: payload)
    guard case .at(let place) = unsafe found else { return unsafe path.scalar(at: found) }
    if unsafe place != lastPlace {
      lastScalar = unsafe Scalar(at: place)
      lastPlace = unsafe place
    }
    return lastScalar
  }

  /// The number of the last member with the first key of `path`; below 0 if there is none.
  @inline(__always)
  private func member(of path: MemberPath) -> Int {
    // The bits of its first bytes are all in the highest of the product (D. E. Knuth, The Art of
    // Computer Programming 3, 6.4).
    let slot = Int(truncatingIfNeeded: (path.tag &* 0x9E37_79B9_7F4A_7C15) >> 60)
    let memo = unsafe memos + slot
    if unsafe memo.pointee.tag == path.tag, unsafe memo.pointee.shape == shape,
      unsafe Key.isWhole(path.tag) || memo.pointee.text.isSame(as: path.first.text)
    {
      return unsafe memo.pointee.index
    }
    return search(path, slot)
  }

  @inline(never)
  private func search(_ path: MemberPath, _ slot: Int) -> Int {
    let index =
      unsafe places.find(path.tag, from: text.start) { $0.isSame(as: path.first.text) } ?? -1
    let text = Key.isWhole(path.tag) ? "" : path.first.text
    unsafe memos[slot] = Memo(tag: path.tag, text: text, shape: shape, index: index)
    return index
  }

  /// What a payload is, if it is a scalar.
  @inline(__always)
  func scalar(of payload: UnsafeRawBufferPointer) -> Scalar? {
    unsafe lookOnce(into: payload)
    if case .scalar(let scalar) = kind { return scalar }
    return nil
  }

  @inline(__always)
  private func lookOnce(into payload: UnsafeRawBufferPointer) {
    if unsafe self.payload?.baseAddress != payload.baseAddress
      || self.payload?.count != payload.count
    {
      unsafe look(into: payload)
    }
  }

  @inline(never)
  private func look(into payload: UnsafeRawBufferPointer) {
    let needed = payload.count + PaddedText.padding
    if needed > capacity || capacity > Self.usualCapacity {
      unsafe room.deallocate()
      capacity = max(needed, Self.usualCapacity)
      room = .allocate(capacity: capacity)
    }
    text = unsafe PaddedText(copying: payload, to: room)
    let members = unsafe places.members
    let (places, hasLearned) = unsafe JSONScan.guessing(guesses) { scan, guess in
      let places = unsafe MemberPlaces(
        ofObjectIn: text,
        scan,
        &guess,
        members,
        capacity: MemberPlaces.few
      )
      return unsafe (places, scan.hasLearned)
    }
    if unsafe hasLearned || places?.count != self.places.count { shape += 1 }
    if let places = unsafe places {
      self.places = unsafe places
      kind = .object
    } else {
      kind = Scalar(whole: text).map(Kind.scalar) ?? .other
    }
    self.payload = unsafe payload
    lastPlace = nil
  }
}
