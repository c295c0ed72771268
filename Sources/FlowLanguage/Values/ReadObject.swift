/// An object that was read: its text, and where its members stand in it.
///
/// The value of a member is made when somebody asks for it.
@safe  // memory 8
struct ReadObject: @unchecked Sendable {  // nobody writes to the storage after `init`
  /// The members, and behind them the text with its padding.
  private let storage: ManagedBuffer<Header, MemberPlaces.Member>

  private struct Header {
    /// How many members there are.
    let count: Int
    /// How many bytes the text has.
    let length: Int
    /// How many arrays and objects stand one inside another.
    let height: UInt32
    /// Whether the text has no blank between its parts, and no escape.
    let isCompact: Bool
  }

  /// Copies an object with the members that stand at `places` in it, or more than these have room for.
  init(
    _ text: UnsafeRawBufferPointer,
    _ places: MemberPlaces,
    height: UInt32,
    isCompact: Bool
  ) {
    let count = unsafe places.count
    let stride = MemoryLayout<MemberPlaces.Member>.stride
    storage = ManagedBuffer.create(
      minimumCapacity: count + (text.count + PaddedText.padding + stride - 1) / stride
    ) { _ in Header(count: count, length: text.count, height: height, isCompact: isCompact) }
    unsafe storage.withUnsafeMutablePointerToElements { members in
      let start = unsafe Self.text(behind: count, members)
      _ = unsafe PaddedText(copying: text, to: start)
      if unsafe count <= places.capacity {
        unsafe members.initialize(from: places.members, count: count)
      } else {
        var writer = unsafe MemberPlaces.Writer(members, capacity: count, from: start)
        unsafe JSONScan.withoutGuesses { scan, guess in
          _ = unsafe scan.object(start, inside: 0, &guess) { unsafe writer.append($0, $1) }
        }
      }
    }
  }

  private static func text(
    behind count: Int,
    _ members: UnsafeMutablePointer<MemberPlaces.Member>
  ) -> UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutableRawPointer(members + count).assumingMemoryBound(to: UInt8.self)
  }

  /// How many members there are.
  var count: Int { header.count }

  // `storage.header` would have each access checked, though nobody writes.
  private var header: Header {
    unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee }
  }

  var extent: Extent {
    let header = header
    return Extent(
      bytes: header.length,
      height: Int(header.height),
      memory: Extent.header + header.length + PaddedText.padding
        + header.count * MemoryLayout<MemberPlaces.Member>.stride
    )
  }

  @inline(__always)
  private func with<R>(_ body: (MemberPlaces, PaddedText) -> R) -> R {
    unsafe storage.withUnsafeMutablePointers { header, members in
      let count = unsafe header.pointee.count
      let start = unsafe UnsafePointer(Self.text(behind: count, members))
      return unsafe body(
        MemberPlaces(members, capacity: count, count: count),
        PaddedText(start: start, count: header.pointee.length, isASCII: false)
      )
    }
  }

  /// Whether its text is what it is written as.
  var isCompact: Bool { header.isCompact }

  /// Gives the text.
  func withText<R>(_ body: (PaddedText) -> R) -> R { unsafe with { body($1) } }

  /// Gives the place of the value of the last member with a key.
  @inline(__always)
  func withPlace<R>(of key: Key, _ body: (JSONGrammar.Place?) -> R) -> R {
    unsafe with { places, text in
      let index = unsafe places.find(key.tag, from: text.start) { $0.isSame(as: key.text) }
      return unsafe body(index.map { unsafe places.place($0, from: text.start) })
    }
  }

  /// The value of the last member with a key.
  func value(of key: Key) -> Value? {
    unsafe withPlace(of: key) { unsafe $0.map { unsafe MemberScan.value(at: $0, for: .handingOn) } }
  }

  /// The member at `index`, with its value.
  subscript(index: Int) -> JSONObject.Member {
    precondition(index < count, "there is no member \(index)")
    return unsafe with { places, text in
      unsafe JSONObject.Member(
        name: places.key(index, from: text.start).key,
        value: MemberScan.value(at: places.place(index, from: text.start), for: .handingOn)
      )
    }
  }
}
