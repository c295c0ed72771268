import Synchronization

/// Tells one subscriber or subscription from another.
public struct CombineIdentifier: Hashable, Sendable, CustomStringConvertible {
  private let rawValue: UInt64

  private static let last = Atomic<UInt64>(0)

  /// Makes an identifier that no other has.
  public init() {
    rawValue = Self.last.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Makes the identifier of `object`: the same for the same object while it lives.
  public init(_ object: AnyObject) {
    rawValue = UInt64(UInt(bitPattern: ObjectIdentifier(object)))
  }

  /// Makes the identifier of the object at an address.
  init(address: UnsafeRawPointer) { rawValue = UInt64(UInt(bitPattern: address)) }

  /// The number in hexadecimal, as in `0x1f`.
  public var description: String { "0x\(String(rawValue, radix: 16))" }
}

/// Has an identifier by which its signals can be followed.
public protocol CustomCombineIdentifierConvertible {
  /// The identifier.
  var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
  /// The identifier of the object, as long as it lives.
  public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}
