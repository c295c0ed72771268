/// The members of a JSON object, in the order they came.
public struct JSONObject: Sendable {
  /// One key with its value.
  public struct Member: Sendable {
    /// The key.
    public let key: String
    /// The value.
    public let value: Value

    /// Makes a member.
    public init(key: String, value: Value) {
      self.key = key
      self.value = value
    }
  }

  /// The members, in order.
  public let members: [Member]

  /// Makes an object; its keys should differ.
  public init(members: [Member]) { self.members = members }

  /// The value of the last member called `key`.
  public subscript(key: String) -> Value? {
    members.last { $0.key == key }?.value
  }
}

extension JSONObject: Equatable {
  /// Compares the members in any order.
  public static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    lhs.members.count == rhs.members.count && lhs.members.allSatisfy { rhs[$0.key] == $0.value }
  }
}
