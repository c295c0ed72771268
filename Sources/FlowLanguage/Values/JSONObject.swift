/// The members of a JSON object, in the order they came; of several with one key the last counts.
public struct JSONObject: Sendable {
  /// One key with its value.
  public struct Member: Sendable {
    let name: Key
    /// The value.
    public let value: Value

    /// The key.
    public var key: String { name.text }

    init(name: Key, value: Value) {
      self.name = name
      self.value = value
    }

    /// Makes a member.
    public init(key: String, value: Value) { self.init(name: Key(key), value: value) }
  }

  /// The members, in order.
  public let members: [Member]
  let extent: Extent

  /// Makes an object.
  public init(members: [Member]) {
    self.members = members
    extent = .around(
      members.lazy.map { member in
        let value = member.value.extent
        let key = member.name.text.utf8.count
        return Extent(
          bytes: Int(value.bytes) + key + 3,
          height: Int(value.height),
          memory: value.memory + Extent.memory(ofText: key)
        )
      },
      stride: MemoryLayout<Member>.stride
    )
  }

  /// An object that was read, with its extent.
  init(members: [Member], extent: Extent) {
    self.members = members
    self.extent = extent
  }

  /// An object that a closure makes.
  static func checked(_ members: [Member]) throws(EvaluationError) -> Value {
    let object = JSONObject(members: members)
    try object.extent.check()
    return .object(object)
  }

  /// The value of the last member called `key`.
  public subscript(key: String) -> Value? { self[Key(key)] }

  subscript(key: Key) -> Value? {
    var index = members.count
    while index > 0 {
      index -= 1
      if members[index].name == key { return members[index].value }
    }
    return nil
  }

  /// The place of the member that counts, for each key.
  fileprivate var places: [Key: Int] {
    var places: [Key: Int] = [:]
    places.reserveCapacity(members.count)
    for (index, member) in members.enumerated() { places[member.name] = index }
    return places
  }

  /// The members that count, in order.
  var effective: [Member] {
    guard members.count > 1 else { return members }
    let places = places
    guard places.count < members.count else { return members }
    return members.indices.filter { places[members[$0].name] == $0 }.map { members[$0] }
  }
}

extension JSONObject: Equatable {
  /// Compares the members that count, in any order.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    guard lhs.hasKeys(of: rhs) else { return lhs.isPermutation(of: rhs) }
    var places: [Key: Int]?
    for (index, member) in lhs.members.enumerated() where member.value != rhs.members[index].value {
      // It does not matter if another member of this key counts.
      if index == lhs.members.count - 1 { return false }
      let known = places ?? lhs.places
      places = known
      if known[member.name] == index { return false }
    }
    return true
  }

  /// Whether the keys are the same, one for one.
  private func hasKeys(of other: JSONObject) -> Bool {
    members.count == other.members.count
      && members.indices.allSatisfy { members[$0].name == other.members[$0].name }
  }

  private func isPermutation(of other: JSONObject) -> Bool {
    let (mine, others) = (places, other.places)
    guard mine.count == others.count else { return false }
    return mine.allSatisfy { key, place in
      others[key].map { members[place].value == other.members[$0].value } ?? false
    }
  }
}

/// A key, with a number that tells most keys apart: the same if its scalars are.
struct Key: Hashable, Sendable {
  let text: String
  /// The first seven bytes, and above them how many there are.
  let tag: UInt64

  init(_ text: String) {
    self.text = text
    var bytes: UInt64 = 0
    for (index, unit) in text.utf8.prefix(7).enumerated() {
      bytes |= UInt64(unit) << UInt64(8 * index)
    }
    tag = bytes | UInt64(min(text.utf8.count, 255)) << 56
  }

  init(_ text: String, tag: UInt64) {
    self.text = text
    self.tag = tag
  }

  static func == (lhs: Key, rhs: Key) -> Bool {
    guard lhs.tag == rhs.tag else { return false }
    return lhs.isShort || lhs.text.isSame(as: rhs.text)
  }

  /// Whether the tag says all.
  var isShort: Bool { tag >> 56 <= 7 }

  func hash(into hasher: inout Hasher) {
    hasher.combine(tag)
    if !isShort { unsafe text.withBytes { unsafe hasher.combine(bytes: $0) } }
  }
}
