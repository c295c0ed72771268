/// A type whose values may be freed on any thread.
///
/// To free a million of them takes a good part of a second, in which a thread that others wait for
/// does nothing else: it hands them on.
package protocol Disposable: Sendable {
  /// Frees what `values` holds, later and elsewhere: nobody else uses it.
  static func dispose(_ values: Any)
}

/// Lets go of a collection that keeps `count` values of a type: elsewhere, if they are many and may
/// be freed anywhere.
@usableFromInline
func letGo<Values>(of values: consuming Values, count: Int, as type: Any.Type) {
  // To free fewer is as quick as to hand them on.
  guard count > 64, let type = type as? any Disposable.Type else { return }
  type.dispose(values)
}

/// An array, whose elements are not known where it goes.
@usableFromInline
protocol Disposing {
  func letGo()
}

extension Array: Disposing {
  /// Lets go of the elements: elsewhere, if they are many and may be freed anywhere.
  @usableFromInline
  func letGo() { FlowCore.letGo(of: self, count: count, as: Element.self) }
}
