/// The elements of a JSON array.
public struct JSONArray: Sendable {
  /// The elements, in order.
  public let elements: [Value]
  let extent: Extent

  /// An array of `elements`.
  public init(_ elements: some Sequence<Value>) {
    self.elements = Array(elements)
    extent = .around(self.elements.lazy.map(\.extent), stride: MemoryLayout<Value>.stride)
  }

  /// An array that was read, with its extent.
  init(_ elements: [Value], extent: Extent) {
    self.elements = elements
    self.extent = extent
  }

  /// An array that a closure makes.
  static func checked(_ elements: [Value]) throws(EvaluationError) -> Value {
    let array = JSONArray(elements)
    try array.extent.check()
    return .array(array)
  }
}

extension JSONArray: RandomAccessCollection {
  /// The first place.
  public var startIndex: Int { 0 }
  /// The place behind the last.
  public var endIndex: Int { elements.count }
  /// The element at `index`.
  public subscript(index: Int) -> Value { elements[index] }
}
