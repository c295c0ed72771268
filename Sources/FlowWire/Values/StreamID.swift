/// The number of a stream, one space per connection, chosen by the client or counted by the server.
@frozen
public struct StreamID: Hashable, Sendable {
  /// The number, at most `StreamID.largest`.
  public let rawValue: UInt64

  /// The largest number a stream can have, 2^53, so that every JSON reader can hold it.
  public static let largest: UInt64 = 1 << 53

  /// Makes the id of a stream; a number above `largest` traps.
  @inlinable
  public init(rawValue: UInt64) {
    precondition(rawValue <= 1 << 53, "a stream id is at most 2^53")
    self.rawValue = rawValue
  }
}

extension StreamID: Comparable {
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension StreamID: CustomStringConvertible {
  /// The number in decimal, as it stands on the wire.
  public var description: String { String(rawValue) }
}
