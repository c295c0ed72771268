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

  fileprivate enum Form {
    case made([Member], Extent)
    case read(ReadObject)
  }

  private let form: Form

  /// Makes an object.
  public init(members: [Member]) {
    let extent = Extent.around(
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
    form = .made(members, extent)
  }

  init(_ object: ReadObject) { form = .read(object) }

  /// An object that a closure makes.
  static func checked(_ members: [Member]) throws(EvaluationError) -> Value {
    let object = JSONObject(members: members)
    try object.extent.check()
    return .object(object)
  }

  /// The members, in order.
  public var members: Members { Members(form: form) }

  var extent: Extent {
    switch form {
    case .made(_, let extent): extent
    case .read(let object): object.extent
    }
  }

  /// The object as it was read, if it was.
  var read: ReadObject? {
    if case .read(let object) = form { object } else { nil }
  }

  /// The value of the last member called `key`.
  public subscript(key: String) -> Value? { self[Key(key)] }

  subscript(key: Key) -> Value? {
    switch form {
    case .made(let members, _): members.last { $0.name == key }?.value
    case .read(let object): object.value(of: key)
    }
  }

  /// The members that count, in order.
  var effective: [Member] {
    let members = Array(members)
    guard members.count > 1 else { return members }
    let places = members.places
    guard places.count < members.count else { return members }
    return members.indices.filter { places[members[$0].name] == $0 }.map { members[$0] }
  }
}

extension JSONObject {
  /// The members of an object; of one that was read a value is made each time it is asked for.
  public struct Members: RandomAccessCollection, Sendable {
    fileprivate let form: Form

    /// The place of the first.
    public var startIndex: Int { 0 }
    /// The place behind the last.
    public var endIndex: Int {
      switch form {
      case .made(let members, _): members.count
      case .read(let object): object.count
      }
    }
    /// The member at `index`.
    public subscript(index: Int) -> Member {
      switch form {
      case .made(let members, _): members[index]
      case .read(let object): object[index]
      }
    }
  }
}

extension [JSONObject.Member] {
  /// The place of the member that counts, for each key.
  fileprivate var places: [Key: Int] {
    var places: [Key: Int] = [:]
    places.reserveCapacity(count)
    for (index, member) in enumerated() { places[member.name] = index }
    return places
  }
}

extension JSONObject: Equatable {
  /// Compares the members that count, in any order.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    isEqual(Array(lhs.members), Array(rhs.members))
  }

  private static func isEqual(_ a: [Member], _ b: [Member]) -> Bool {
    guard haveSameKeys(a, b) else { return isPermutation(a, b) }
    var places: [Key: Int]?
    for (index, member) in a.enumerated() where member.value != b[index].value {
      // It does not matter if another member of this key counts.
      if index == a.count - 1 { return false }
      let known = places ?? a.places
      places = known
      if known[member.name] == index { return false }
    }
    return true
  }

  /// Whether the keys are the same, one for one.
  private static func haveSameKeys(_ a: [Member], _ b: [Member]) -> Bool {
    a.count == b.count && a.indices.allSatisfy { a[$0].name == b[$0].name }
  }

  private static func isPermutation(_ a: [Member], _ b: [Member]) -> Bool {
    let (places, others) = (a.places, b.places)
    guard places.count == others.count else { return false }
    return places.allSatisfy { key, place in
      others[key].map { a[place].value == b[$0].value } ?? false
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
    tag = Self.tag(bytes, text.utf8.count)
  }

  init(_ text: String, tag: UInt64) {
    self.text = text
    self.tag = tag
  }

  /// The tag of a key that begins with these bytes and has so many.
  @inline(__always)
  static func tag(_ eight: UInt64, _ count: Int) -> UInt64 {
    let mask = (1 &<< UInt64(8 &* min(count, 7))) &- 1
    return eight & mask | UInt64(min(count, longest)) &<< 56
  }

  /// What a tag has as the length of a key that has so many bytes or more.
  static let longest = 255

  /// Whether a tag says all of a key.
  @inline(__always)
  static func isWhole(_ tag: UInt64) -> Bool { tag >> 56 <= 7 }

  static func == (lhs: Key, rhs: Key) -> Bool {
    guard lhs.tag == rhs.tag else { return false }
    return isWhole(lhs.tag) || lhs.text.isSame(as: rhs.text)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(tag)
    if !Self.isWhole(tag) { unsafe text.withBytes { unsafe hasher.combine(bytes: $0) } }
  }
}
