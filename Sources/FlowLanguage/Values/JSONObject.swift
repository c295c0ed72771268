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
        let octets = Int(value.octets) + member.name.text.utf8.count + 3
        return Extent(octets: octets, height: Int(value.height))
      }
    )
  }

  /// An object that was read, with its extent.
  init(members: [Member], extent: Extent) {
    self.members = members
    self.extent = extent
  }

  /// An object that a closure makes.
  static func checked(_ members: [Member]) throws(Trouble) -> Value {
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

  /// The members that count, by key.
  var byKey: [String: Value] {
    Dictionary(members.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  /// The members that count, in order.
  var effective: [Member] {
    guard members.count > 1 else { return members }
    var last: [String: Int] = [:]
    for (index, member) in members.enumerated() { last[member.key] = index }
    guard last.count < members.count else { return members }
    return members.indices.filter { last[members[$0].key] == $0 }.map { members[$0] }
  }
}

extension JSONObject: Equatable {
  /// Compares the members that count, in any order.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool { lhs.byKey == rhs.byKey }
}

/// A key, with a number that tells most keys apart.
struct Key: Equatable, Sendable {
  let text: String
  /// The first seven octets, and above them how many there are.
  let tag: UInt64

  init(_ text: String) {
    self.text = text
    var octets: UInt64 = 0
    for (index, unit) in text.utf8.prefix(7).enumerated() {
      octets |= UInt64(unit) << UInt64(8 * index)
    }
    tag = octets | UInt64(min(text.utf8.count, 255)) << 56
  }

  init(_ text: String, tag: UInt64) {
    self.text = text
    self.tag = tag
  }

  static func == (lhs: Key, rhs: Key) -> Bool {
    guard lhs.tag == rhs.tag else { return false }
    return lhs.tag >> 56 <= 7 || lhs.text == rhs.text
  }
}
