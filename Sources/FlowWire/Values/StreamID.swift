/// The number of a stream, one space per connection, chosen by the client or counted by the server.
///
/// A call is a stream of its own below its service's stream: `5.17` is the seventeenth call that
/// stream 5 was given.
@frozen
public struct StreamID: Hashable, Sendable {
  /// The number of the stream, or of the service's stream, at most `StreamID.largest`.
  public let rawValue: UInt64
  /// The number of the call, counted from 1 by the server; 0 for what is no call.
  public let call: UInt64

  /// The largest number a stream or a call can have, 2^53, so that every JSON reader can hold it.
  public static let largest: UInt64 = 1 << 53

  /// Makes the id of a stream; a number above `largest` traps.
  @inlinable
  public init(rawValue: UInt64) {
    precondition(rawValue <= 1 << 53, "a stream id is at most 2^53")
    self.rawValue = rawValue
    call = 0
  }

  /// Makes the id of a call below the stream `service`; a number above `largest` traps.
  @inlinable
  public init(service: UInt64, call: UInt64) {
    precondition(service <= 1 << 53 && call <= 1 << 53, "a stream id is at most 2^53")
    rawValue = service
    self.call = call
  }

  /// Whether this is a call below a service's stream.
  @inlinable
  public var isCall: Bool { call != 0 }
}

extension StreamID: Comparable {
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool {
    (lhs.rawValue, lhs.call) < (rhs.rawValue, rhs.call)
  }
}

extension StreamID: CustomStringConvertible {
  /// The number in decimal, as it stands on the wire: `5`, or `5.17` for a call.
  public var description: String { isCall ? "\(rawValue).\(call)" : String(rawValue) }
}
