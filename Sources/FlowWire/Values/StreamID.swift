/// The number of a stream within its connection, chosen by the client or counted by the server.
///
/// A call has the number of its service's stream and its own: `5.17` is call 17 of stream 5.
@frozen
public struct StreamID: Hashable, Sendable {
  /// The number of the stream, or of the service's stream, at most `StreamID.largest`.
  public let rawValue: UInt64
  /// The number of the call, counted from 1 by the server; 0 if it is no call.
  public let call: UInt64

  /// The largest number of a stream or call, 2^53, which every JSON reader can represent.
  public static let largest: UInt64 = 1 << 53

  /// Traps if the number exceeds `largest`.
  @inlinable
  public init(rawValue: UInt64) {
    precondition(rawValue <= 1 << 53, "a stream id is at most 2^53")
    self.rawValue = rawValue
    call = 0
  }

  /// Makes the id of a call of the stream `service`; traps if a number exceeds `largest`.
  @inlinable
  public init(service: UInt64, call: UInt64) {
    precondition(service <= 1 << 53 && call <= 1 << 53, "a stream id is at most 2^53")
    rawValue = service
    self.call = call
  }

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
  public var description: String { isCall ? "\(rawValue).\(call)" : String(rawValue) }
}
