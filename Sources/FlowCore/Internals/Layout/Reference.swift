/// A reference as the type that it was made from, which is a class.
///
/// A reference to an object is the same word whatever its type says of it. `unsafeDowncast` does
/// not do: the compiler does not know of `T` that it is a class.
@inlinable @inline(__always)
func _reference<T>(_ object: AnyObject, as type: T.Type) -> T {
  unsafe unsafeBitCast(object, to: type)  // memory 7
}

/// An object of a type that the compiler does not know to be a class: `as AnyObject` would ask the
/// runtime what to do with it.
@inlinable @inline(__always)
func _object<T>(_ reference: T) -> AnyObject {
  unsafe unsafeBitCast(reference, to: AnyObject.self)  // memory 7
}
