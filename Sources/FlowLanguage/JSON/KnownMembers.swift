/// Where the members of the payload stand that was looked into last.
///
/// So of the stages that a payload goes through, the first that looks into it finds the members for
/// all of them. There is one of these for all pipelines of a loop, whose payloads come one after the
/// other.
@safe  // memory 8
final class KnownMembers {
  @unsafe private struct Member {
    let tag: UInt64
    let name: JSONCursor.Text
    let value: JSONGrammar.Place
  }

  /// The payload, as long as it may come again.
  @safe @exclusivity(unchecked) private var payload: UnsafeRawBufferPointer?  // memory 6
  /// How many members it has; `nil` if it is no object.
  @safe @exclusivity(unchecked) private var count: Int?
  private let members = UnsafeMutablePointer<Member>.allocate(capacity: most)

  /// Larger objects are searched each time.
  private static let most = 64

  deinit { unsafe members.deallocate() }

  /// Another payload comes, which may have the place of the last.
  @inline(__always)
  func forget() { payload = nil }

  /// The last member of a payload that `path` leads to.
  func find(
    _ path: [Key],
    in payload: UnsafeRawBufferPointer,
    for use: MemberScan.Use
  ) -> MemberScan.Found {
    unsafe payload.withMemoryRebound(to: UInt8.self) { bytes in
      guard let start = bytes.baseAddress else { return .notAnObject }
      if unsafe self.payload?.baseAddress != payload.baseAddress
        || self.payload?.count != payload.count
      {
        unsafe look(into: bytes)
        self.payload = unsafe payload
      }
      guard let count else { return .notAnObject }
      guard count <= Self.most else { return unsafe MemberScan.find(path, in: bytes, for: use) }
      return unsafe MemberScan.follow(
        path,
        from: value(of: path[0], among: count),
        before: start + bytes.count,
        for: use
      )
    }
  }

  private func look(into bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    let end = unsafe start + bytes.count
    var count = 0
    let isObject = unsafe MemberScan.object(in: bytes) { name, value in
      if count < Self.most {
        unsafe (members + count).initialize(
          to: Member(tag: name.keyTag(before: end), name: name, value: value)
        )
      }
      count += 1
    }
    self.count = isObject ? count : nil
  }

  /// Where the value of the last member with a key stands.
  private func value(of key: Key, among count: Int) -> JSONGrammar.Place? {
    var index = count
    while index > 0 {
      index -= 1
      let member = unsafe members + index
      if unsafe member.pointee.tag == key.tag, unsafe member.pointee.name.isSame(as: key) {
        return unsafe member.pointee.value
      }
    }
    return nil
  }
}
